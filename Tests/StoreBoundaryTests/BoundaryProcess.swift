import EventLoop
import HistoryTestSupport
import Testing

@testable import StoreBoundary

/// The program that owns a store of tasks, or shows one, as another process.
enum BoundaryProcess {
  /// Starts it.
  static func start(
    _ words: String..., environment: [String: String?] = [:]
  ) throws -> HistorywatchProcess {
    try HistorywatchProcess(
      running: [HistorywatchProcess.path(of: "BoundaryProgram")] + words, environment: environment)
  }

  /// Runs it as an owner that takes a store to a version.
  static func own(
    _ path: String, _ version: Int, _ more: String..., environment: [String: String?] = [:]
  ) throws -> HistorywatchProcess.Result {
    let program = try HistorywatchProcess.path(of: "BoundaryProgram")
    let process = try HistorywatchProcess(
      running: [program, "owner", path, "\(version)"] + more, environment: environment)
    process.closeInput()
    return try process.finish()
  }

  /// Runs it as a client that was made for a version, and returns the rows that it shows.
  static func show(
    _ path: String, _ version: Int, environment: [String: String?] = [:]
  ) throws -> HistorywatchProcess.Result {
    try start("client", path, "\(version)", environment: environment).finish()
  }
}

extension HistorywatchProcess {
  /// Waits for an event of an owner.
  @discardableResult
  func event(_ name: String) throws -> String {
    while true {
      let line = try line()
      if line.hasPrefix("event "), line.contains(" \(name)") { return line }
    }
  }
}

extension TemporaryDirectory {
  /// The bytes of every file in it, by name.
  func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try names() {
      contents[name] = try DurableFile(path: file(name)).read(limit: 100 << 20)
    }
    return contents
  }
}
