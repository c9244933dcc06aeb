import Glibc
import HistoryModel
import StoreBoundary

/// A program that owns a store, for tests of what becomes of the store when it dies.
///
/// `BoundaryProgram owner STORE VERSION [kill EVENT | ask EVENT | hold | fail]` takes the store to a
/// version of ``TaskPlan`` and says every event in a line. At the event with that number, from 1, or
/// of that name it kills itself, or waits for a line on standard input. With `hold` it waits as the owner, once the
/// store is ready; with `fail` the last stage fails. Where `BESIDE` is set it migrates side by side.
///
/// `BoundaryProgram client STORE VERSION` does what a widget does: it opens what is ready, and says
/// the rows.
@main
struct Main {
  static func main() async {
    let words = CommandLine.arguments
    guard words.count >= 4, let version = Int(words[3]) else { exit(2) }
    do throws(HistoryError) {
      switch words[1] {
      case "owner":
        try Owner(path: words[2], version: version, Array(words.dropFirst(4))).run()
      default:
        try await show(words[2], version)
      }
    } catch {
      say("failed \(error.unavailableReason?.description ?? error.code.description): \(error)")
      exit(1)
    }
  }

  private static func show(_ path: String, _ version: Int) async throws(HistoryError) {
    let store = try StoreContainer.client(at: path, schema: version, access: .readOnly)
    for row in try await store.rows(TaskPlan.query(version)) { say("row \(row.values)") }
    say("ready")
  }
}

/// Writes a line at once.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}

/// The owner of the store.
private final class Owner {
  private let path: String
  private let version: Int
  private let words: [String]
  private var count = 0

  init(path: String, version: Int, _ words: [String]) {
    self.path = path
    self.version = version
    self.words = words
  }

  func run() throws(HistoryError) {
    var plan = TaskPlan.versions(through: version)
    if words.first == "fail" { plan[plan.count - 1] = TaskPlan.failing(version) }
    var options = MigrationOptions(writer: "app")
    if getenv("BESIDE") != nil { options.mode = .sideBySide }
    let ownership = try StoreOwnership.take(
      path, plan: MigrationPlan(plan), options: options,
      telling: { self.met($0) })
    say("done")
    if words.first == "hold" { _ = readLine() }
    withExtendedLifetime(ownership) {}
  }

  private func met(_ event: MigrationEvent) {
    count += 1
    say("event \(count) \(event)")
    guard words.count == 2, Int(words[1]) == count || "\(event)".hasPrefix(words[1]) else { return }
    if words[0] == "kill" {
      kill(getpid(), SIGKILL)
      pause()
    }
    _ = readLine()
  }
}
