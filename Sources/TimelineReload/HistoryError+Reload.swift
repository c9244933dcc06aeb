import EventLoop
import HistoryModel

/// Every sentence that this module can say when something fails.
extension HistoryError {
  static func stateFileTaken(_ path: String, _ cause: FileLock.Refusal) -> HistoryError {
    HistoryError(
      .temporary, "the state file \(path) is in use by another process",
      hint: "give each run a state file of its own", cause: cause)
  }

  static func stateFileNotLocked(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    HistoryError(
      .temporary, "the state file \(path) cannot be locked: \(failure)",
      hint: "check that its directory exists and can be written to")
  }

  static func stateFileNotRead(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    HistoryError(
      .temporary, "the state file \(path) cannot be read: \(failure)",
      hint: "check its permissions")
  }

  static func stateFileNotWritten(_ path: String, _ failure: DurableFile.Failure) -> HistoryError {
    HistoryError(
      .temporary, "the state file \(path) cannot be written: \(failure)",
      hint: "the old state is still in it")
  }

  static func stateFileDamaged(_ path: String) -> HistoryError {
    HistoryError(
      .invalidToken, "the state file \(path) holds no state, or was damaged",
      hint: "it was left as it is; remove it to begin at the present")
  }

  static func stateFileOfAnotherVersion(_ path: String) -> HistoryError {
    HistoryError(
      .invalidToken, "the state file \(path) was written by another version",
      hint: "use the historywatch that wrote it, or remove it to begin at the present")
  }

  static func stateFileOfAnotherStore(_ path: String, _ cause: HistoryError) -> HistoryError {
    HistoryError(
      .foreignToken, "the state file \(path) is of another store",
      hint: "give each store a state file of its own, or remove it to begin at the present",
      cause: cause)
  }

  static func commandNotStarted(_ program: String, _ failure: LoopError) -> HistoryError {
    HistoryError(
      failure.isAboutTheFile ? .usage : .temporary,
      "the command \(program) cannot be started: \(failure.reason)",
      hint: failure.isAboutTheFile
        ? "check its path and its permissions; there is no shell"
        : "it is tried again; check how many processes and files are allowed")
  }

  static func commandFailed(_ sentence: String) -> HistoryError {
    HistoryError(.temporary, sentence, hint: "see what it printed; it is tried again")
  }

  static func noSuchKind(_ name: String, _ names: [String]) -> HistoryError {
    HistoryError(
      .usage, "there is no kind \"\(name)\"",
      hint: names.isEmpty ? nil : "the kinds are: \(names.joined(separator: ", "))")
  }

  static func sameKind(_ name: String) -> HistoryError {
    HistoryError(
      .usage, "two kinds have the name \"\(name)\"", hint: "give each kind a name of its own")
  }

  static var oneFileForSeveralKinds: HistoryError {
    HistoryError(
      .usage, "one state file cannot hold the states of several kinds",
      hint: "keep them in a directory, by .files(in:)")
  }

  static var reloadingStopped: HistoryError {
    HistoryError(.temporary, "the reloader was stopped", hint: "make a new one")
  }
}
