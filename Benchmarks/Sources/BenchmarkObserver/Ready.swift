import HistoryKit

/// Times what a client checks before it opens a store: the marker alone, and the store too.
struct Ready {
  private let path: String
  private let rounds: Int

  init(path: String, _ arguments: Arguments) {
    self.path = path
    rounds = arguments.number("rounds", default: 1000)
  }

  /// Prints nanoseconds for each round: the marker, and all that a client checks.
  func run() async throws {
    guard let schema = try ReadinessMarker.read(of: path)?.schema else {
      return print("it is not ready")
    }
    let clock = ContinuousClock()
    var lines = ""
    for _ in 0..<rounds {
      let marker = try clock.measure {
        guard try ReadinessMarker.read(of: path)?.schema == schema else { return print("gone") }
      }
      let all = try clock.measure {
        _ = try StoreContainer.client(at: path, schema: schema, access: .readOnly)
      }
      lines += "\(nanoseconds(marker)) \(nanoseconds(all))\n"
    }
    print(lines, terminator: "")
  }

  private func nanoseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
  }
}
