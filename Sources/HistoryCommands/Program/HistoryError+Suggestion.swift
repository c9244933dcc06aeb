import EventLoop
import HistoryModel
import SQLite

extension HistoryError {
  /// The error, with another hint where a mistyped command was taken for a database.
  ///
  /// `historywatch stauts` asks for the stream of a database called `stauts`, which may exist. Only
  /// when it does not has the command been meant.
  ///
  /// - Parameter arguments: The words of the command line.
  /// - Returns: The error to report.
  func suggestingCommand(_ arguments: [String]) -> HistoryError {
    guard code == .storeUnavailable, arguments.count == 1, let word = arguments.first,
      word.looksLikeCommand, let meant = CommandRegistry.standard.nearest(to: word),
      case .some(.none) = try? DurableFile(path: word).read(limit: 0)
    else { return self }
    return hinting("did you mean the command \(meant)?")
  }

  /// Refuses a directory in the place of a file that is to be written.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - option: The option that names it.
  /// - Throws: ``HistoryError`` with code `usage`.
  static func refuseDirectory(_ path: String, for option: String) throws(HistoryError) {
    guard DatabaseFile(path: path)?.kind == .directory else { return }
    throw HistoryError(
      .usage, "\(path) is a directory", hint: "name a file in it with \(option)")
  }

  /// Does something with a position, and says what can be done where it has expired.
  ///
  /// - Parameters:
  ///   - hint: What the command's user can do then.
  ///   - body: What to do.
  /// - Returns: What the body returned.
  /// - Throws: What the body threw, with the hint where a position has expired.
  static func onExpiry<T>(
    _ hint: String, _ body: () throws(HistoryError) -> T
  ) throws(HistoryError) -> T {
    do throws(HistoryError) {
      return try body()
    } catch {
      throw error.code == .historyTokenExpired ? error.hinting(hint) : error
    }
  }
}
