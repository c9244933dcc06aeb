import EventLoop
public import HistoryModel
import SQLite

/// What can be said of a store to somebody who is to find out what is wrong with it.
///
/// It has versions, settings, sizes and the results of checks. It has nothing that is stored in the
/// tables, no SQL, and no path: files are told by their names in the store's directory. A store that
/// cannot be opened has a diagnosis too, with the reason.
///
/// ```swift
/// try StoreDiagnosis(of: "app.db", program: "app 2.1").write(to: "diagnosis.json")
/// ```
public struct StoreDiagnosis: Sendable {
  /// How long the checks that read everything may take, each.
  public static let standardLimit = Duration.seconds(30)

  /// The diagnosis as a JSON object.
  public let object: JSONObject
  private let files: StoreNeighbours

  /// Looks at a store, only reading; it never fails.
  ///
  /// With a rollback journal nobody can write while everything is read, which the limit bounds.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - program: The name and version of the program that asks.
  ///   - limit: How long each of the checks that read everything may take.
  /// - Complexity: O(*n* log *n*) for *n* rows.
  public init(of path: String, program: String, limit: Duration = Self.standardLimit) {
    files = StoreNeighbours(of: path)
    let system = SystemName()
    var members: [JSONObject.Member] = [
      .init(name: "format", value: 1),
      .init(name: "at", value: .string(CalendarTime(milliseconds: WallClock.milliseconds).text)),
      .init(name: "program", value: .string(program)),
      .init(name: "sqlite", value: Self.library),
      .init(name: "libuv", value: .string(LoopExecutor.libraryVersion)),
      .init(
        name: "system",
        value: [
          "name": .string(system.name), "release": .string(system.release),
          "machine": .string(system.machine),
        ]),
    ]
    members += DiagnosedFiles(files).members
    members += DiagnosedDatabase(path, files, limit: limit).members
    object = JSONObject(members)
  }

  /// The diagnosis as the bytes of a file.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    JSONText.append(.object(object), to: &bytes)
    return bytes + [UInt8(ascii: "\n")]
  }

  /// Writes the diagnosis into a file, whole or not at all.
  ///
  /// - Parameter path: The file, which only this user may read.
  /// - Throws: ``/HistoryModel/HistoryError``, also when it is a file of the store.
  public func write(to path: String) throws(HistoryError) {
    let target = FileNames.resolved(path)
    guard !files.all.contains(target) else { throw .outputIsTheStore(path) }
    try HistoryError.naming(path) { () throws(DurableFile.Failure) in
      try DurableFile(path: path).replace(with: bytes)
    }
  }

  private static var library: JSONValue {
    let options = try? Connection.inMemory().rows("PRAGMA compile_options")
    return [
      "version": .string(SQLiteLibrary.version), "source": .string(SQLiteLibrary.sourceID),
      "options": .array((options ?? []).compactMap { $0[0].text }.map { .string($0) }),
    ]
  }
}

extension CalendarTime {
  /// The time as JSON lines write it.
  var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
