import HistoryModel

/// Every sentence that finding the place of a store can say when it fails.
extension HistoryError {
  static func noName(_ what: String) -> HistoryError {
    HistoryError(
      .usage, "that cannot be the name of a \(what)",
      hint: "name it by one part of a path, of 200 bytes at most, that does not begin with a dot")
  }

  static func relativeRoot(_ variable: String) -> HistoryError {
    HistoryError(
      .usage, "\(variable) is a relative path, which would be another place for each program",
      hint: "set it to a path that begins with a slash; no other place was tried")
  }

  static var noRoot: HistoryError {
    unavailable(
      .missing, "there is no place for groups: HOME is not set",
      hint: "set HISTORYWATCH_GROUPS to a folder; no other place was tried")
  }
}
