import CLibUV

/// Why bytes did not go out.
public enum OutputError: Error, Equatable, Sendable {
  /// Nobody reads any more: the pipe's other end is closed.
  case readerGone
  /// The wait for a slow reader was given up, by ``OutputPort/abandon()`` or by cancelling the
  /// task.
  case abandoned
  /// The system refused with this error number, such as `ENOSPC`.
  case failed(CInt)
}

extension OutputError {
  /// What the system said, for a sentence that says what was written; nil where it said nothing.
  package var systemReason: String? {
    guard case .failed(let number) = self else { return nil }
    return String(cString: uv_strerror(-number))
  }
}

extension OutputError: CustomStringConvertible {
  /// One sentence about it.
  public var description: String {
    switch self {
    case .readerGone: "Nobody reads the output any more."
    case .abandoned: "The output was given up before its reader took it."
    case .failed(let number): "Writing failed: \(String(cString: uv_strerror(-number)))."
    }
  }
}
