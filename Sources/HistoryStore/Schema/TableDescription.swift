import HistoryModel
import SQLite

/// What capture must know of a table of the application.
struct TableDescription: Sendable, Equatable {
  /// A column, hidden ones left out, generated ones included.
  struct Column: Sendable, Equatable {
    var name: String
    var affinity: Affinity
    var isNotNull: Bool
    /// The SQL of its DEFAULT.
    var defaultSQL: String?
    /// Its place in the primary key, from 0.
    var keyPlace: Int?
    /// The expression that computes it, when it is generated.
    var generation: String?
  }

  /// How a row is found again between two triggers of one statement.
  enum Identity: Sendable, Equatable {
    /// By the rowid, under the name that reaches it.
    case rowID(String)
    /// By the primary key: WITHOUT ROWID, or all names of the rowid are taken by columns.
    case key
  }

  var name: String
  /// Its CREATE TABLE statement.
  var sql: String
  var columns: [Column]
  var isWithoutRowID: Bool
  var identity: Identity
  var uniques: [UniqueConstraint]
  var foreignKeys: [ForeignKey]
  /// The columns that a foreign key with an ON UPDATE action refers to, where following such keys
  /// leads back to this table: their changes run triggers on this table before their own (fact 46).
  var cascadingColumns: Set<String> = []
  /// Whether a row may be changed by a foreign key action or a trigger of the application between
  /// the BEFORE and the AFTER trigger of a statement that displaces it (fact 48).
  var mayChangeWhileDisplaced = false

  /// The columns of the primary key, in key order.
  var keyColumns: [Column] {
    columns.filter { $0.keyPlace != nil }.sorted { ($0.keyPlace ?? 0) < ($1.keyPlace ?? 0) }
  }

  /// The quoted name that reaches the rowid, where there is one.
  var rowIDName: String {
    if case .rowID(let name) = identity { Identifier.quoted(name) } else { "rowid" }
  }

  /// Whether a UNIQUE index has expressions, a condition, or a generated column.
  var hasComputedIndex: Bool {
    uniques.contains { unique in
      unique.condition != nil
        || unique.terms.contains { term in
          guard case .column(let name) = term.subject else { return true }
          return columns.contains { Identifier.equal($0.name, name) && $0.generation != nil }
        }
    }
  }

  /// Whether automatic rowids never use one again.
  var isAutoIncrement: Bool { SQLTokens(sql).contains { $0.isKeyword("AUTOINCREMENT") } }

  /// Whether any column or index of it may compare by something else than BINARY.
  var mentionsCollation: Bool {
    sql.utf8.count > 0 && SQLTokens(sql).contains { $0.isKeyword("COLLATE") }
  }
}

/// The affinities of <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
enum Affinity: String, Sendable {
  case text, numeric, integer, real, none

  /// The affinity of a declared type.
  init(declaredType: String, isStrict: Bool) {
    let type = ChangeFilter.folded(declaredType)
    if isStrict && type == "any" {
      self = .none
    } else if type.contains("int") {
      self = .integer
    } else if type.contains("char") || type.contains("clob") || type.contains("text") {
      self = .text
    } else if type.contains("blob") || type.isEmpty {
      self = .none
    } else if type.contains("real") || type.contains("floa") || type.contains("doub") {
      self = .real
    } else {
      self = .numeric
    }
  }
}

/// A foreign key of a table, by what matters to the order of captured changes.
struct ForeignKey: Sendable, Equatable {
  var parent: String
  /// The parent's columns; empty for its primary key.
  var parentColumns: [String]
  var actsOnUpdate: Bool
  var actsOnDelete: Bool
}

/// A UNIQUE or PRIMARY KEY constraint, or a UNIQUE index: what REPLACE displaces rows by.
struct UniqueConstraint: Sendable, Equatable {
  /// One column or expression of it, with the collation it compares by.
  struct Term: Sendable, Equatable {
    enum Subject: Sendable, Equatable {
      case column(String)
      case expression(String)
    }
    var subject: Subject
    var collation: String
  }

  var terms: [Term]
  /// The WHERE of a partial index.
  var condition: String?
}
