import HistoryKit

/// The table: drawn anew on a terminal, elsewhere one line for each change.
enum Table {
  private static let isTerminal = ProcessEnvironment.isTerminal(1)

  static func show(_ players: [Player], after change: ResultsDifference) {
    guard isTerminal else {
      return print(players.map { "\($0.name) \($0.points)" }.joined(separator: ", "))
    }
    var marks: [Int: String] = [:]
    for update in change.updated { marks[update.index] = "+" }
    for move in change.moved { marks[move.to] = move.to < move.from ? "↑" : "↓" }
    for insertion in change.inserted { marks[insertion.index] = "*" }
    print("\u{1B}[H\u{1B}[J", terminator: "")
    for (place, player) in players.enumerated() {
      let gap = String(repeating: " ", count: max(1, 10 - player.name.count))
      print("\(marks[place] ?? " ") \(player.name)\(gap)\(player.points)")
    }
  }
}
