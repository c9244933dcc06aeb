/// Where a reloader keeps up to where its kinds were reloaded.
public struct ReloadStates: Sendable, Hashable {
  private enum Place: Hashable {
    case memory
    case file(String)
    case directory(String)
  }

  private let place: Place

  /// Nowhere: what is still to be done when the process ends is forgotten, and it begins at the
  /// present the next time.
  public static let memory = ReloadStates(place: .memory)

  /// In a file, for a reloader of one kind.
  ///
  /// - Parameter path: The file's path. Its directory has to exist.
  /// - Returns: The place.
  public static func file(_ path: String) -> ReloadStates { ReloadStates(place: .file(path)) }

  /// In a directory, a file for each kind.
  ///
  /// - Parameter directory: The directory's path. It has to exist.
  /// - Returns: The place.
  public static func files(in directory: String) -> ReloadStates {
    ReloadStates(place: .directory(directory))
  }

  /// The path at which the state of a command is kept unless somebody wants it elsewhere.
  ///
  /// - Parameters:
  ///   - database: The database's path.
  ///   - kind: The name of the command's kind, which may be empty.
  /// - Returns: A path beside the database.
  package static func path(beside database: String, kind: String) -> String {
    "\(database)-run\(suffix(of: kind)).state"
  }

  /// Whether there is place for the states of several kinds.
  var holdsSeveral: Bool {
    if case .file = place { false } else { true }
  }

  /// The path for a kind; nil for none.
  func path(of kind: String) -> String? {
    switch place {
    case .memory: nil
    case .file(let path): path
    case .directory(let directory): "\(directory)/reload\(Self.suffix(of: kind)).state"
    }
  }

  /// A name as part of a file's name: whatever else than a letter, a digit, `_` and `-` is in it
  /// stands as its bytes in hexadecimal digits.
  private static func suffix(of name: String) -> String {
    if name.isEmpty { return "" }
    return name.utf8.reduce(into: "-") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
