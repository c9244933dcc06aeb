import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite

@testable import StoreBoundary

extension FaultSubject {
  /// What StoreBoundary does.
  static let boundary: [FaultSubject] = [
    creation, migration, besideMigration, adoption, upToDate, marker, client, snapshot, recovery,
    move, diagnosis,
  ]

  private static let first = SchemaVersion(
    1, "lists", .lightweight("CREATE TABLE lists(id INTEGER PRIMARY KEY, name)"))
  private static let second = SchemaVersion(
    2, "later", .lightweight("UPDATE tasks SET done = 5; INSERT INTO lists(name) VALUES ('all')"))

  /// Takes a store as its owner, and lets go of it.
  private static func own(
    _ path: String, _ versions: [SchemaVersion], mode: MigrationOptions.Mode = .inPlace
  ) async throws {
    var options = MigrationOptions(writer: "test")
    options.mode = mode
    options.busyTimeout = 0
    let plan = try MigrationPlan(versions)
    let container = try await StoreContainer.owner(at: path, plan: plan, options: options)
    guard container.schema == plan.latest else { throw WrongResult(description: "schema") }
    _ = try StoreReadiness.check(path: path, schema: plan.latest)
  }

  private static let creation = FaultSubject("owner: create") {
    let tasks = SchemaVersion(1, "tasks", .lightweight(FaultScene.schema))
    try await own($0.directory.file("new.db"), [tasks])
  }.with {
    $0.journals = [.wal]
    $0.file = "new.db"
    $0.mayBeMissing = true
  }

  private static let migration = FaultSubject("owner: migrate in place") {
    try await own($0.path, [first, second])
  }

  private static let besideMigration = FaultSubject("owner: migrate side by side") {
    try await own($0.path, [first, second], mode: .sideBySide)
  }.with { $0.journals = [.wal] }

  private static let adoption = FaultSubject("owner: adopt") {
    try await own($0.path, [first])
  }.with {
    $0.prepare = {
      try Connection(path: $0.path).execute(
        "CREATE TABLE lists(id INTEGER PRIMARY KEY, name); PRAGMA user_version = 1")
    }
  }

  private static let upToDate = FaultSubject("owner: up to date") {
    try await own($0.path, [first])
  }.with { $0.prepare = { try await own($0.path, [first]) } }

  private static let marker = FaultSubject("owner: make ready") {
    try await own($0.path, [first])
  }.with {
    $0.prepare = {
      try await own($0.path, [first])
      try Connection(path: $0.path).execute("CREATE TABLE other(a)")
    }
  }

  private static let client = FaultSubject("client: read and write") {
    let container = try StoreContainer.client(at: $0.path, schema: 1, access: .readWrite)
    guard try await container.rows("SELECT 1 FROM tasks").count == 3 else {
      throw WrongResult(description: "rows")
    }
    try await container.writer().write(author: "fault") {
      try $0.run("UPDATE tasks SET done = done + 1")
    }
  }.with { $0.prepare = { try await own($0.path, [first]) } }

  private static let snapshot = FaultSubject("snapshot writer") { scene in
    let writer = try SnapshotWriter<[String]>(
      path: scene.directory.file("facts.json"), schema: 1, like: scene.path
    ) {
      let store = try scene.opened(.readOnly)
      let rows = try RowSnapshot(store, filter: ChangeFilter(tables: ["tasks"]))
      var facts: [String] = []
      while let shape = try rows.next() { facts.append(shape.table) }
      return (facts, rows.token)
    }
    let result: Result<Int, any Error>
    do {
      result = .success(try await writer.write().payload.count)
    } catch {
      result = .failure(error)
    }
    await writer.stop()
    guard try result.get() == 3 else { throw WrongResult(description: "facts") }
  }

  private static let recovery = FaultSubject("recover") {
    let outcome = try StoreRecovery(of: $0.path, from: $0.other, as: "test").recover()
    guard outcome.rows > 0 else { throw WrongResult(description: "rows") }
  }.with {
    $0.expiry = [.storeRestored]
    $0.mayBeMissing = true
    $0.prepare = { scene in
      try await own(scene.path, [first])
      try Backup.copy(from: Connection(path: scene.path), to: scene.other)
      try await scene.write("INSERT INTO tasks(title) VALUES ('after')")
    }
  }

  private static let move = FaultSubject("adopt at another place") {
    _ = try StoreRecovery.adopt($0.path, at: $0.directory.file("moved.db"), as: "test")
  }.with { $0.refusal = .usage }

  private static let diagnosis = FaultSubject("diagnose") {
    try StoreDiagnosis(of: $0.path, program: "test").write(to: $0.directory.file("diagnosis.json"))
  }
}
