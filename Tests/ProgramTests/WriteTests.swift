import HistoryTestSupport
import Testing

@Suite("Writing")
struct WriteTests {
  static let mistakes: [(String, Int32)] = [
    ("INSERT INTO tasks(title) VALUES ('x'); INSERT INTO nowhere VALUES (1)", 1),
    ("INSERT INTO tasks(title) VALUES ('x'); SELEKT 1", 1),
    ("INSERT INTO tasks(title) VALUES ('x'); INSERT INTO tasks(id) VALUES (1), (1)", 1),
    ("INSERT INTO tasks(title) VALUES ('x'); COMMIT", 1),
    ("INSERT INTO tasks(title) VALUES ('x'); ROLLBACK", 1),
    ("INSERT INTO tasks(title) VALUES ('x'); VACUUM", 1),
    ("INSERT INTO tasks(title) VALUES ('x'); ATTACH ':memory:' AS other", 1),
    ("INSERT INTO tasks(title) VALUES ('x'); INSERT INTO history_author(name) VALUES ('me')", 1),
  ]

  @Test("SQL that fails is rolled back whole, and is exit 1", arguments: mistakes)
  func mistake(sql: String, code: Int32) throws {
    let store = try ProgramStore()
    try store.write("one")
    let result = try HistorywatchProcess.run(["write", store.path, "--author", "app", sql])
    expectFailure(result, code: code)
    #expect(result.output == "")
    #expect(!result.errors.contains("'x'"))
    #expect(try store.titles() == ["one"])
    let rows = try WriterProcess(path: store.path).run("SELECT count(*) FROM tasks")
    #expect(rows == "1")
  }

  @Test("what cannot be part of the transaction is named, with its line")
  func refusedWord() throws {
    let store = try ProgramStore()
    let dump = "PRAGMA foreign_keys=OFF;\n\n-- of tasks\nBEGIN TRANSACTION;\nSELECT 1;\nCOMMIT;\n"
    let result = try HistorywatchProcess.run(["write", store.path, "--author", "app"], input: dump)
    expectFailure(
      result, code: 1, saying: ": line 4: BEGIN cannot be part of one tagged transaction")
    #expect(result.errorLines.last?.contains("leave out BEGIN, COMMIT") == true)
    let single = try HistorywatchProcess.run(["write", store.path, "--author", "app", "ROLLBACK"])
    expectFailure(single, code: 1, saying: ": ROLLBACK cannot be part of one tagged transaction")
  }

  @Test("the author is taken from the environment, and an empty one is exit 2")
  func author() throws {
    let store = try ProgramStore()
    let sql = "INSERT INTO tasks(title) VALUES ('one')"
    let environment = { (name: String?) in ["HISTORYWATCH_AUTHOR": name] }
    let named = try HistorywatchProcess.run(
      ["write", store.path, sql], environment: environment("importer"))
    #expect(named.code == 0)
    #expect(try store.stream().lines.last { $0.contains("commit") }?.field("author") == "importer")
    for name in [nil, ""] {
      let result = try HistorywatchProcess.run(
        ["write", store.path, sql], environment: environment(name))
      expectFailure(result, code: 2, saying: name == nil ? "who writes" : "author is empty")
    }
    expectFailure(
      try HistorywatchProcess.run(["write", store.path, "--author", "", sql]), code: 2)
  }

  @Test("SQL comes from standard input or a file, and must be UTF-8")
  func sources() throws {
    let store = try ProgramStore()
    let piped = try HistorywatchProcess.run(
      ["write", store.path, "--author", "app"], input: "INSERT INTO tasks(title) VALUES ('piped')")
    #expect(piped.code == 0)
    #expect(try store.titles() == ["piped"])
    let missing = try HistorywatchProcess.run(
      ["write", store.path, "--author", "app", "--file", "/nonexistent.sql"])
    expectFailure(missing, code: 2, saying: "there is no file")
  }

  /// A small disk of its own, which goes with the process.
  private static let smallDisk = ["unshare", "--mount", "sh", "-c"]
  private static let canMount =
    (try? HistorywatchProcess.run(
      [], runner: smallDisk + ["mount -t tmpfs -o size=64k none /mnt && exit 42"]
    ).code) == 42

  @Test(
    "a full disk is exit 1, and what was written before stays",
    .enabled(if: canMount, "no small disk can be mounted here"))
  func fullDisk() throws {
    let store = try ProgramStore(journal: .delete)
    let script = """
      mount -t tmpfs -o size=512k none /mnt && cp "$1" /mnt/store.sqlite || exit 99
      "$0" write /mnt/store.sqlite --author app "INSERT INTO tasks(title) VALUES ('one')"
      "$0" write /mnt/store.sqlite --author app \
        "INSERT INTO tasks(title) SELECT hex(zeroblob(400000))"
      echo "code $?"
      "$0" write /mnt/store.sqlite --author app "INSERT INTO tasks(title) VALUES ('two')"
      "$0" stream /mnt/store.sqlite --since oldest --no-follow
      """
    let result = try HistorywatchProcess.run([store.path], runner: Self.smallDisk + [script])
    #expect(result.lines.contains("code 1"), "\(result.output)\n\(result.errors)")
    #expect(result.errors.contains("historywatch: the disk is full"), "\(result.errors)")
    #expect(result.lines.compactMap { $0.field("title") } == ["one", "two"])
  }
}
