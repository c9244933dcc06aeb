/// Paths as texts: nothing here looks at the disk.
enum ConfigurationPath {
  /// The directory part of a path; empty when it has none.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A path that was written in a file, as the program has to open it.
  static func resolved(_ path: String, in directory: String) -> String {
    guard !path.hasPrefix("/"), !directory.isEmpty else { return normalized(path) }
    return normalized("\(directory)/\(path)")
  }

  /// A path without the steps that lead nowhere.
  ///
  /// Steps back stay: through a symbolic link they lead elsewhere than the text says.
  static func normalized(_ path: String) -> String {
    let steps = path.split(separator: "/").filter { $0 != "." }
    let joined = steps.joined(separator: "/")
    return path.hasPrefix("/") ? "/\(joined)" : joined.isEmpty ? "." : joined
  }
}
