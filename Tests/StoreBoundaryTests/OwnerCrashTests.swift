import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

/// An owner that is killed at every point of a migration, one after the other.
@Suite("An owner that is killed", .timeLimit(.minutes(1)))
struct OwnerCrashTests {
  /// What is migrated.
  struct Setting: Sendable, CustomTestStringConvertible {
    let journal: TemporaryStore.Journal
    let isTracked: Bool
    let first: Int
    var isBeside = false
    var testDescription: String {
      "\(journal), \(isTracked ? "tracked" : "untracked"), from version \(first)"
        + (isBeside ? ", side by side" : "")
    }
    var environment: [String: String?] { isBeside ? ["BESIDE": "1"] : [:] }
  }

  static let settings = [
    Setting(journal: .wal, isTracked: true, first: 1),
    Setting(journal: .delete, isTracked: true, first: 1),
    Setting(journal: .wal, isTracked: false, first: 1),
    Setting(journal: .delete, isTracked: false, first: 0),
    Setting(journal: .wal, isTracked: true, first: 1, isBeside: true),
    Setting(journal: .wal, isTracked: false, first: 2, isBeside: true),
  ]

  /// A store at the first version, with more rows than the plan makes.
  private func template(_ setting: Setting) throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE tasks(id INTEGER PRIMARY KEY, name TEXT, done INT DEFAULT 0);
        WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 112)
        INSERT INTO tasks SELECT i, iif(i % 5 = 0, NULL, 'task ' || i), i % 2 FROM n
        """, journal: setting.journal)
    if setting.isTracked { try store.track() }
    if setting.first > 0 {
      #expect(try BoundaryProcess.own(store.path, setting.first).code == 0)
    }
    for copy in try store.files(endingWith: ".copy") {
      try FileNames.remove(store.directory.file(copy))
    }
    return store
  }

  /// A copy of a store that nobody has open, with all that is beside it.
  private func duplicate(_ store: TemporaryStore) throws -> TemporaryStore {
    let other = try TemporaryStore(journal: store.journal)
    for (name, bytes) in try store.directory.contents() {
      try DurableFile(path: other.directory.file(name)).replace(with: bytes)
    }
    return other
  }

  @Test(
    "at every event: a whole version, not ready, and all right once it runs again",
    arguments: settings)
  func everywhere(setting: Setting) throws {
    let template = try template(setting)
    let versions = try (setting.first...4).map { version in
      let store = try duplicate(template)
      if version > 0 { #expect(try BoundaryProcess.own(store.path, version).code == 0) }
      return try StoreContent(store.path)
    }
    #expect(versions.map(\.version) == Array(setting.first...4))
    var seen: Set<String> = []
    for place in 1...100 {
      let store = try duplicate(template)
      let result = try BoundaryProcess.own(
        store.path, 4, "kill", "\(place)", environment: setting.environment)
      let events = result.lines.filter { $0.hasPrefix("event ") }
      if result.code == 0 {
        #expect(events.count == place - 1)
        #expect(try StoreContent(store.path) == versions.last)
        break
      }
      try #require(result.code == 128 + 9 && events.count == place, "\(result)")
      let last = events[place - 1].split(separator: " ")[2].prefix { $0 != "(" }
      seen.insert(String(last))
      try check(
        store, setting, versions, isReady: last == "ready",
        isCleared: events.contains { $0.hasSuffix("cleared") })
      let again = try BoundaryProcess.own(store.path, 4, environment: setting.environment)
      #expect(again.code == 0, "after \(last): \(again.output)")
      #expect(try StoreContent(store.path) == versions.last, "after \(last)")
      #expect(store.refusal(schema: 4) == nil)
      // The finished journal of a file that was swapped may stay; SQLite passes it over.
      let ends = ["", "-wal", "-shm", "-ready", "-owner"] + (setting.isBeside ? ["-journal"] : [])
      let known = ends.map { "store.sqlite" + $0 }
      let strange = try store.directory.names().filter { name in
        !known.contains(name) && !name.hasSuffix(".copy")
      }
      #expect(strange == [], "after \(last)")
    }
    #expect(
      seen == [
        "copying", "copied", "cleared", "began", "advanced", "committing", "applied", "verifying",
        "finishing", "ready",
      ])
  }

  /// Looks at what a crash has left.
  private func check(
    _ store: TemporaryStore, _ setting: Setting, _ versions: [StoreContent], isReady: Bool,
    isCleared: Bool
  ) throws {
    #expect((store.refusal(schema: 4) == nil) == isReady)
    let staysReady = !isCleared && setting.first > 0
    #expect((store.refusal(schema: setting.first) == nil) == staysReady)
    let content = try StoreContent(store.path)
    let version = try #require(versions.first { $0.version == content.version })
    #expect(content == version)
    if setting.isBeside { #expect([versions[0], versions[versions.count - 1]].contains(content)) }
    #expect(try store.value("PRAGMA integrity_check") == "ok")
    for copy in try store.files(endingWith: ".copy") {
      #expect(try StoreContent(store.directory.file(copy)) == versions[0])
    }
    if isCleared, !setting.isBeside { #expect(try store.files(endingWith: ".copy").count == 1) }
    guard setting.isTracked else { return }
    #expect(try store.opened().check().filter(\.needsAttention) == [])
    #expect(try store.opened().tables(isThorough: true).allSatisfy { $0.drift.isEmpty })
    let transactions = try store.recorded().transactions
    #expect(transactions.allSatisfy { $0.record.author == "migrate" })
  }
}
