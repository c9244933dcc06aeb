import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

/// Random programs on two and three stores that follow each other now and then.
@Suite("Sync, random programs")
struct SyncPropertyTests {
  private static let table = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b UNIQUE);
    CREATE TABLE n(k TEXT, l INTEGER, v, PRIMARY KEY(k, l)) WITHOUT ROWID;
    """
  private static let seeds = TestScale.seeds(12)

  /// A random program of one transaction, which touches rows whose keys have that rest modulo three.
  private func program(_ random: inout SeededGenerator, owner: Int?) -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in
      var id = Int.random(in: 0..<8, using: &random)
      if let owner { id = id * 3 + owner }
      let value = Int.random(in: 0..<1000, using: &random)
      // Unique values of several stores must not meet: nobody promises anything then.
      let unique = id * 1000 + value
      return switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: "INSERT OR REPLACE INTO t VALUES (\(id), \(value), \(unique))"
      case 2: "UPDATE t SET a = \(value) WHERE id = \(id)"
      case 3: "UPDATE t SET b = \(unique) WHERE id = \(id)"
      case 4: "DELETE FROM t WHERE id = \(id)"
      case 5: "INSERT INTO n VALUES ('k', \(id), \(value)) ON CONFLICT DO UPDATE SET v = \(value)"
      case 6: "UPDATE n SET v = v || 'x' WHERE l = \(id)"
      default: "DELETE FROM n WHERE l = \(id)"
      }
    }.joined(separator: ";")
  }

  private func write(
    _ pair: SyncPair, _ store: Int, _ random: inout SeededGenerator, owner: Int?,
    isTagged: Bool = false
  ) async throws {
    let sql = program(&random, owner: owner)
    if isTagged || Bool.random(using: &random) {
      try await pair.write(store, sql)
    } else {
      try pair.writeUntagged(store, "BEGIN; \(sql); COMMIT")
    }
  }

  /// Follows a part of the way or all of it.
  private func follow(
    _ pair: SyncPair, _ target: Int, from source: Int, _ policy: ConflictPolicy,
    _ random: inout SeededGenerator
  ) throws {
    let applier = try HistoryApplier(path: pair.stores[target].path, policy: policy)
    let held = try applier.position(of: pair.stores[source].opened().state().storeIdentifier)
    let page = try pair.stores[source].opened().fetchHistory(
      HistoryDescriptor(after: held.map { .after($0) } ?? .oldest))
    let count = Bool.random(using: &random) ? page.transactions.count : page.transactions.count / 2
    for transaction in page.transactions.prefix(count) { try applier.apply(transaction) }
  }

  /// Runs something that may have to wait until another road has brought more.
  private func waiting(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as HistoryError where error.code == .temporary {
      return
    }
  }

  private func expectEqual(_ pair: SyncPair) throws {
    for store in 1..<pair.stores.count {
      for table in ["t", "n"] {
        #expect(try pair.rows(store, table) == pair.rows(0, table))
      }
    }
  }

  @Test("two stores end equal where one wins, or the newest does", arguments: seeds)
  func two(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let pair = try SyncPair(Self.table)
    let isNewest = seed.isMultiple(of: 2)
    let policies: [ConflictPolicy] = isNewest ? [.newest, .newest] : [.target, .source]
    for _ in 0..<40 {
      let store = Int.random(in: 0..<2, using: &random)
      if Int.random(in: 0..<3, using: &random) > 0 {
        try await write(pair, store, &random, owner: nil, isTagged: isNewest)
      } else {
        try follow(pair, store, from: 1 - store, policies[store], &random)
      }
    }
    for _ in 0..<6 {
      for store in 0..<2 { try pair.follow(store, from: 1 - store, policies[store]) }
    }
    try expectEqual(pair)
  }

  @Test("three stores that write rows of their own end equal by all roads", arguments: seeds)
  func three(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed + 1000)
    let pair = try SyncPair(Self.table, count: 3)
    for _ in 0..<40 {
      let store = Int.random(in: 0..<3, using: &random)
      if Int.random(in: 0..<2, using: &random) > 0 {
        try await write(pair, store, &random, owner: store)
      } else {
        let other = (store + Int.random(in: 1...2, using: &random)) % 3
        try waiting { try follow(pair, store, from: other, .stop, &random) }
      }
    }
    for round in 0..<4 {
      for store in 0..<3 {
        for other in 0..<3 where other != store {
          if round < 3 {
            try waiting { _ = try pair.follow(store, from: other) }
          } else {
            try pair.follow(store, from: other)
          }
        }
      }
    }
    try expectEqual(pair)
    for store in pair.stores { #expect(try store.opened().check().filter(\.needsAttention) == []) }
  }
}
