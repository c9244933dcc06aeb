import CLibUV

extension ServiceManager {
  /// Something that a service manager wants to know.
  public struct Message: Hashable, Sendable {
    /// As it is sent: lines of `NAME=VALUE`.
    let lines: String

    /// Everything that others need has begun: it has recovered, and it listens.
    public static let ready = Message(lines: "READY=1")
    /// It is still alive.
    public static let watchdog = Message(lines: "WATCHDOG=1")
    /// It has begun to end.
    public static let stopping = Message(lines: "STOPPING=1")

    /// It has begun to read its configuration again; ``ready`` has to follow.
    ///
    /// The manager tells by the time which of its requests this answers.
    public static var reloading: Message {
      Message(lines: "RELOADING=1\nMONOTONIC_USEC=\(uv_hrtime() / 1000)")
    }

    /// What it is doing, in one line for people.
    ///
    /// - Parameter text: The line; it must not contain a stored value. Line breaks become spaces.
    /// - Returns: The message.
    public static func status(_ text: String) -> Message {
      // By scalars: "\r\n" is one character.
      let line = String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" ? " " : $0 }))
      return Message(lines: "STATUS=\(line)")
    }

    /// Starting, reloading or stopping takes longer than the manager was told to wait.
    ///
    /// - Parameter duration: How much longer from now on.
    /// - Returns: The message.
    public static func extendTimeout(by duration: Duration) -> Message {
      Message(lines: "EXTEND_TIMEOUT_USEC=\(duration.wholeNanoseconds / 1000)")
    }
  }
}
