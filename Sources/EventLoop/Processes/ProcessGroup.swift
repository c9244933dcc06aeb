#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The processes of one group, to find out whether any is left.
///
/// The system tells nobody when a group has become empty. On Linux it even counts processes that
/// have ended and whose parent does not ask how: in a container whose first process is an ordinary
/// program, that may be for ever. So there each is looked up by its state, and since that takes a
/// look at every process of the machine, those found are remembered until they are gone.
struct ProcessGroup {
  private let identifier: CInt
  #if os(Linux)
    private var members: [CInt] = []
  #endif

  /// Names a group, by its leader's process number.
  init(_ identifier: CInt) { self.identifier = identifier }

  /// Whether a process of the group still runs.
  ///
  /// - Complexity: O(*n*) for *n* processes of the machine, when those found before are gone.
  mutating func isRunning() -> Bool {
    guard kill(-identifier, 0) == 0 else { return false }
    #if os(Linux)
      if members.contains(where: isRunningMember) { return true }
      guard let all = Self.processes() else { return true }
      members = all.filter(isRunningMember)
      return !members.isEmpty
    #else
      return true
    #endif
  }

  #if os(Linux)
    /// The numbers of all processes; nil where the system does not tell.
    private static func processes() -> [CInt]? {
      guard let directory = opendir("/proc") else { return nil }
      defer { closedir(directory) }
      var numbers: [CInt] = []
      while let entry = readdir(directory) {
        let number = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { atoi($0) }
        }
        if number > 0 { numbers.append(number) }
      }
      return numbers.isEmpty ? nil : numbers
    }

    private func isRunningMember(_ process: CInt) -> Bool {
      // "42 (name) S 1 42 …": number, name, state, parent, group. A name may contain anything.
      guard let line = try? DurableFile(path: "/proc/\(process)/stat").read(limit: 4096),
        let end = line.lastIndex(of: UInt8(ascii: ")"))
      else { return false }
      let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
      guard fields.count > 2, String(decoding: fields[2], as: UTF8.self) == "\(identifier)" else {
        return false
      }
      return !fields[0].elementsEqual("Z".utf8) && !fields[0].elementsEqual("X".utf8)
    }
  #endif
}
