/// What is on the disk when the power is cut: what was synced, and of all else some.
///
/// It keeps to what SQLite asks of a disk (<https://www.sqlite.org/atomiccommit.html>): sectors of
/// 512 bytes are whole or not there, in any order, and a write spoils nothing beside it. A file that
/// was made is there once it was synced, and else perhaps.
package struct PowerCut: Sendable {
  /// What becomes of what was not synced.
  package enum Loss: Sendable, Hashable {
    /// All of it is lost.
    case all
    /// None of it is lost, but the process is gone.
    case none
    /// By the numbers of a seed each write is kept, lost or torn.
    case some(seed: UInt64)
  }

  private let directory: String
  private let beginning: [String: [UInt8]]
  private let events: [WriteRecorder.Event]
  private let others: [[(path: String, bytes: [UInt8]?)]]

  init(
    directory: String, beginning: [String: [UInt8]], events: [WriteRecorder.Event],
    others: [[(String, [UInt8]?)]]
  ) {
    self.directory = directory
    self.beginning = beginning
    self.events = events
    self.others = others
  }

  /// After how many events it can be cut.
  package var moments: ClosedRange<Int> { 0...events.count }

  /// A file's content that is on the disk, and what was done to it since.
  private struct File {
    var bytes: [UInt8]?
    var pending: [WriteRecorder.Event] = []

    mutating func settle() {
      for event in pending { File.apply(event, to: &bytes) }
      pending = []
    }

    static func apply(_ event: WriteRecorder.Event, to bytes: inout [UInt8]?) {
      switch event {
      case .wrote(_, let offset, let new):
        put(new[...], at: offset, into: &bytes)
      case .truncated(_, let size):
        var content = bytes ?? []
        if content.count > size {
          content.removeLast(content.count - size)
        } else {
          content += [UInt8](repeating: 0, count: size - content.count)
        }
        bytes = content
      case .deleted: bytes = nil
      case .synced: break
      }
    }

    static func put(_ new: ArraySlice<UInt8>, at offset: Int, into bytes: inout [UInt8]?) {
      var content = bytes ?? []
      let end = offset + new.count
      if content.count < end {
        content += [UInt8](repeating: 0, count: end - content.count)
      }
      content.replaceSubrange(offset..<end, with: new)
      bytes = content
    }

    /// What is left of the file.
    func remains(_ loss: Loss, _ generator: inout SeededGenerator) -> [UInt8]? {
      var bytes = bytes
      for event in pending {
        switch loss {
        case .all: return bytes
        case .none: File.apply(event, to: &bytes)
        case .some:
          switch UInt8.random(in: 0..<3, using: &generator) {
          case 0: File.apply(event, to: &bytes)
          case 1:
            if case .wrote(_, let offset, let new) = event {
              File.tear(new, at: offset, into: &bytes, &generator)
            } else if case .deleted = event {
              return bytes
            }
          // What comes after a deletion goes to another file of the same name.
          default: if case .deleted = event { return bytes }
          }
        }
      }
      return bytes
    }

    private static func tear(
      _ new: [UInt8], at offset: Int, into bytes: inout [UInt8]?,
      _ generator: inout SeededGenerator
    ) {
      var start = 0
      while start < new.count {
        let end = min(new.count, ((offset + start) / 512 + 1) * 512 - offset)
        if Bool.random(using: &generator) {
          put(new[start..<end], at: offset + start, into: &bytes)
        }
        start = end
      }
    }
  }

  /// Puts what a cut leaves into a directory.
  ///
  /// - Parameters:
  ///   - moment: After how many events.
  ///   - loss: What becomes of what was not synced.
  ///   - target: The directory, which is empty.
  /// - Throws: What writing the files throws.
  package func leave(after moment: Int, losing loss: Loss, in target: String) throws {
    var files = beginning.mapValues { File(bytes: $0) }
    for event in events[..<moment] {
      switch event {
      case .wrote(let path, _, _), .truncated(let path, _), .deleted(let path, lasts: false):
        files[path, default: File()].pending.append(event)
      case .synced(let path): files[path, default: File()].settle()
      case .deleted(let path, lasts: true): files[path] = nil
      }
    }
    var generator = SeededGenerator(seed: UInt64(moment))
    if case .some(let seed) = loss {
      generator = SeededGenerator(seed: seed << 32 | UInt64(moment))
    }
    for (path, file) in files.sorted(by: { $0.key < $1.key }) {
      guard let bytes = file.remains(loss, &generator) else { continue }
      try put(bytes, path, target)
    }
    for (path, bytes) in others[moment] {
      if let bytes { try put(bytes, path, target) }
    }
  }

  private func put(_ bytes: [UInt8], _ path: String, _ target: String) throws {
    try TemporaryDirectory.write(bytes, to: target + path.dropFirst(directory.utf8.count))
  }
}
