import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite

extension FaultSubject {
  /// What HistorySync does.
  static let sync: [FaultSubject] = [
    applying("apply", .stop),
    FaultSubject("apply, each tried twice") { scene in
      let source = try TrackedStore(path: scene.other, access: .readOnly, busyTimeout: 0)
      let applier = try HistoryApplier(path: scene.path, busyTimeout: 0)
      for transaction in try source.fetchHistory(HistoryDescriptor(after: .oldest)).transactions {
        // What failed for a passing reason is tried again by the same applier.
        do { try applier.apply(transaction) } catch { try applier.apply(transaction) }
      }
    }.with { $0.prepare = { try await $0.makeSource() } },
    applying("apply, the source wins", .source, after: conflict),
    applying("apply, the target wins", .target, after: conflict),
    snapshot("apply a snapshot", resynchronizes: false) { scene in
      try await scene.write("DELETE FROM tasks; DELETE FROM notes")
    },
    snapshot("apply --resync", resynchronizes: true) { scene in
      try apply(scene, .stop)
      try await scene.writeSource("UPDATE tasks SET done = 8; DELETE FROM notes")
      try await scene.write("INSERT INTO tasks(title) VALUES ('own')")
    },
    FaultSubject("acknowledge conflicts") {
      let applier = try HistoryApplier(path: $0.path, policy: .source, busyTimeout: 0)
      try applier.acknowledgeConflicts()
    }.with {
      $0.prepare = {
        try await $0.makeSource()
        try await conflict($0)
        try apply($0, .source)
      }
    },
    FaultSubject("position of a source") {
      let source = try TrackedStore(path: $0.other, access: .readOnly).state().head
      guard
        try HistoryApplier.position(of: source.storeIdentifier, in: $0.path)?.storeIdentifier
          == source.storeIdentifier
      else { throw WrongResult(description: "position") }
    }.with {
      $0.prepare = {
        try await $0.makeSource()
        try apply($0, .stop)
      }
    },
  ]

  private static func conflict(_ scene: FaultScene) async throws {
    try await scene.write("UPDATE tasks SET title = 'mine' WHERE id = 1")
  }

  private static func apply(_ scene: FaultScene, _ policy: ConflictPolicy) throws {
    let source = try TrackedStore(path: scene.other, access: .readOnly, busyTimeout: 0)
    let applier = try HistoryApplier(path: scene.path, policy: policy, busyTimeout: 0)
    for transaction in try source.fetchHistory(HistoryDescriptor(after: .oldest)).transactions {
      try applier.apply(transaction)
    }
    try applier.finish()
  }

  private static func applying(
    _ name: String, _ policy: ConflictPolicy,
    after change: @escaping @Sendable (FaultScene) async throws -> Void = { _ in }
  ) -> FaultSubject {
    FaultSubject(name) { try apply($0, policy) }.with {
      $0.prepare = {
        try await $0.makeSource()
        try await change($0)
      }
    }
  }

  private static func snapshot(
    _ name: String, resynchronizes: Bool,
    after change: @escaping @Sendable (FaultScene) async throws -> Void
  ) -> FaultSubject {
    FaultSubject(name) { scene in
      let source = try TrackedStore(path: scene.other, access: .readOnly, busyTimeout: 0)
      let rows = try RowSnapshot(source, filter: ChangeFilter())
      let applier = try HistoryApplier(path: scene.path, busyTimeout: 0)
      try applier.beginSnapshot(at: rows.token)
      while let shape = try rows.next() {
        try applier.takeRow(shape: shape, values: rows.values)
      }
      _ = try applier.finishSnapshot(resynchronizes: resynchronizes)
    }.with {
      $0.prepare = {
        try await $0.makeSource()
        try await change($0)
      }
    }
  }
}

extension FaultScene {
  /// Makes the other store one with the same rows, and changes to follow.
  fileprivate func makeSource() async throws {
    let connection = try Connection(creating: other)
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.execute(Self.schema)
    // Rows without a key are told by their numbers: none of these is the target's.
    try connection.execute("UPDATE notes SET rowid = rowid + 50")
    try Tracker(TrackedStore(path: other, access: .readWrite)).track(Tracker.Request())
    try await writeSource(
      "UPDATE tasks SET title = 'theirs' WHERE id = 1; INSERT INTO notes VALUES ('\(Self.secret)')")
    try await writeSource(
      "INSERT INTO tasks VALUES (7, 'seven', 7), (8, 'eight', 8); DELETE FROM tasks WHERE id = 8")
  }

  fileprivate func writeSource(_ sql: String) async throws {
    try await StoreWriter(path: other).write(author: "source") { try $0.execute(sql) }
  }
}
