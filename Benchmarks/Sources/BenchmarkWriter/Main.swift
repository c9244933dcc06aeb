import EventLoop
import HistoryModel
import HistoryStore
import SQLite

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the benchmarks need done with little overhead of its own; see `run` beside the sources.
///
/// - `workload`: runs one statement on each of some databases and prints nanoseconds.
/// - `opening`: opens each database and compiles a first statement, and prints microseconds.
/// - `writer`: writes as the library does, at random moments, and prints when each write returned.
@main
struct Main {
  static func main() async throws {
    let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
    switch arguments.mode {
    case "workload": try workload(arguments)
    case "opening": try opening(arguments)
    case "writer": try await writer(arguments)
    default: print("workload, opening or writer")
    }
  }

  private static func workload(_ arguments: Arguments) throws {
    guard let mode = arguments.text("mode").flatMap({ Workload.Mode(rawValue: $0) }) else { return }
    let workload = Workload(
      mode: mode, sql: arguments.text("sql") ?? "", count: arguments.number("count", default: 1),
      before: arguments.text("before"), synchronous: arguments.text("synchronous") ?? "NORMAL",
      also: arguments.text("also"))
    for file in arguments.files { print(try workload.run(at: file)) }
  }

  private static func opening(_ arguments: Arguments) throws {
    let sql = arguments.text("sql") ?? ""
    for file in arguments.files {
      for _ in 1...arguments.number("count", default: 1) {
        let start = Workload.processorTime()
        let connection = try Connection(path: file)
        let statement = try connection.prepare(sql)
        print(Workload.processorTime() - start)
        _ = statement
      }
    }
  }

  private static func writer(_ arguments: Arguments) async throws {
    guard let file = arguments.files.first else { return }
    let writer = try StoreWriter(path: file)
    let clock = ContinuousClock()
    var lines = ""
    for number in 1...arguments.number("count", default: 1) {
      usleep(UInt32.random(in: 2_000...UInt32(arguments.number("pause", default: 30_000))))
      let start = clock.now
      try await writer.write(author: "benchmark") {
        try $0.run(
          "INSERT INTO tasks(id, title, score) VALUES(?, 'library', 1.5)",
          .integer(Int64(number)))
      }
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      let nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      lines += "\(number) \(nanoseconds) \(start.duration(to: clock.now).nanoseconds)\n"
    }
    print(lines, terminator: "")
  }
}
