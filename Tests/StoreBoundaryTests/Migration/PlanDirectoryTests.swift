import EventLoop
import HistoryModel
import HistoryTestSupport
import Testing

@testable import StoreBoundary

@Suite("Plan directory")
struct PlanDirectoryTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ name: String, _ bytes: [UInt8] = Array("SELECT 1;".utf8)) throws {
    try DurableFile(path: directory.file(name)).replace(with: bytes)
  }

  private func refusal() throws -> HistoryError? {
    let error = #expect(throws: HistoryError.self) { try MigrationPlan(directory: directory.path) }
    #expect(error?.code == .usage)
    return error
  }

  @Test("numbered files are versions, in the order of their numbers; others are left alone")
  func names() throws {
    for name in [
      "10_ten.sql", "0002_two words.sql", "1_one.sql", "README.md", ".0003_hidden.sql", "4_x.sql~",
      "0005_five.SQL",
    ] {
      try write(name)
    }
    let plan = try MigrationPlan(directory: directory.path)
    #expect(plan.versions.map(\.title) == ["0001 one", "0002 two words", "0010 ten"])
  }

  @Test(
    "a file whose name does not say its number is refused",
    arguments: [
      "name.sql", "_1.sql", "1.sql", "1_.sql", "1-a.sql", "-1_a.sql", "99999999999999999999_a.sql",
    ])
  func unnumbered(name: String) throws {
    try write("0001_good.sql")
    try write(name)
    #expect(try refusal()?.message.contains(name) == true)
  }

  @Test("two files of one number are refused, and so is the number 0")
  func numbers() throws {
    try write("1_a.sql")
    try write("0001_b.sql")
    #expect(try refusal()?.message.contains("number 1") == true)
    try FileNames.remove(directory.file("1_a.sql"))
    try write("0_zero.sql")
    _ = try refusal()
  }

  @Test("a file that is not UTF-8 is refused, and so are a NUL and a COMMIT in one")
  func content() throws {
    for bytes: [UInt8] in [[0xFF], [0xC3], Array("SELECT 1;\0".utf8), Array("COMMIT".utf8)] {
      try write("0001_a.sql", bytes)
      #expect(try refusal()?.message.contains("0001") == true)
    }
    try write("0001_a.sql", [])
    #expect(try MigrationPlan(directory: directory.path).latest == 1)
  }

  @Test("no directory, none with a version in it, and a file in its place are refused")
  func missing() throws {
    _ = try refusal()
    try write("README.md")
    _ = try refusal()
    for path in [directory.file("none"), directory.file("README.md")] {
      let error = #expect(throws: HistoryError.self) { try MigrationPlan(directory: path) }
      #expect(error?.code == .usage)
      #expect(error?.message.contains(path) == true)
    }
  }
}
