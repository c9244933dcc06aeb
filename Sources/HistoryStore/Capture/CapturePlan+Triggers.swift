import HistoryModel

extension CapturePlan {
  /// A trigger of the table.
  struct Trigger: Sendable, Equatable {
    var name: String
    /// The statement that makes it, as SQLite keeps it.
    var sql: String
  }

  /// The triggers of the table, in the order in which they are made.
  ///
  /// SQLite fires the newest first (fact 8): what an update displaced is appended before the
  /// update, since the trigger that does it is made after the one that appends the update.
  var triggers: [Trigger] {
    let all: [(suffix: String, sql: String?)] = [
      ("insert", afterInsert),
      ("update", afterUpdate),
      ("delete", afterDelete),
      ("updated", afterUpdateDisplaced),
      ("before_insert", beforeInsert),
      ("before_update", beforeUpdate),
      ("before_key", beforeKeyChange),
      ("before_move", beforeMove),
      ("before_delete", beforeDelete),
    ]
    return all.compactMap { suffix, sql in
      sql.map { Trigger(name: triggerName(suffix), sql: $0) }
    }
  }

  /// Whether changes are lost while a trigger is missing, however the table stood before.
  func isEssential(_ trigger: Trigger) -> Bool {
    ["insert", "update", "delete", "updated", "before_insert"].contains {
      trigger.name == triggerName($0)
    }
  }

  private var afterInsert: String {
    trigger(
      "insert", "AFTER INSERT", when: nil,
      displacedByInsert + append(.insert, values(of: "NEW")))
  }

  private var afterUpdate: String {
    // Keys name nothing but the key, so that every other column can be dropped: each update shows.
    var condition: String? = capture == .keys ? nil : anythingChanged
    if let cascades { condition = (condition.map { "(\($0)) AND " } ?? "") + "NOT(\(cascades))" }
    return trigger(
      "update", "AFTER UPDATE", when: condition, append(.update, updateValues))
  }

  private var afterDelete: String {
    trigger(
      "delete", "AFTER DELETE", when: nil,
      displacedBeforeDelete + append(.delete, values(of: "OLD")) + forgetDeleted)
  }

  func trigger(_ suffix: String, _ event: String, when: String?, _ body: String) -> String {
    "CREATE TRIGGER \(triggerName(suffix)) \(event) ON \(quotedTable)"
      + (when.map { " WHEN \($0)" } ?? "") + " BEGIN \(body) END"
  }
}

extension CapturePlan.Stored {
  /// The name as SQLite compares it.
  var folded: String { ChangeFilter.folded(name) }
}
