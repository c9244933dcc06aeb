import EventLoop
public import HistoryModel

/// What the owner of a store writes beside it once others may open it.
///
/// It is cleared before anything is changed and written last, by rename, so it is whole or not
/// there. It is a cheap gate; the store itself has the last word.
public struct ReadinessMarker: Sendable, Equatable {
  /// The store's identity.
  public let store: StoreIdentifier
  /// The version of its schema, exactly.
  public let schema: Int
  /// Who made it ready: the name of a program.
  public let writer: String
  /// When.
  public let time: CalendarTime

  /// Makes a marker.
  ///
  /// - Parameters:
  ///   - store: The store's identity.
  ///   - schema: The version of its schema.
  ///   - writer: Who made it ready.
  ///   - time: When.
  public init(store: StoreIdentifier, schema: Int, writer: String, time: CalendarTime) {
    self.store = store
    self.schema = schema
    self.writer = writer
    self.time = time
  }

  /// More than any marker has.
  private static let sizeLimit = 4096

  /// Reads the marker of a store, without touching the store: the cheap half of what a client
  /// checks.
  ///
  /// - Parameter path: The store's path.
  /// - Returns: The marker; nil when there is none, so that the store may not be opened.
  /// - Throws: ``/HistoryModel/HistoryError`` with reason `notReady` when it cannot be understood,
  ///   `permissions` when it cannot be read.
  public static func read(of path: String) throws(HistoryError) -> ReadinessMarker? {
    try read(StoreNeighbours(of: path))
  }

  /// Reads the marker of a store, without touching the store.
  ///
  /// - Parameter neighbours: The store's files.
  /// - Returns: The marker; nil when there is none.
  /// - Throws: ``/HistoryModel/HistoryError`` with reason `notReady` when it is damaged or of another version,
  ///   `permissions` when it cannot be read.
  package static func read(_ neighbours: StoreNeighbours) throws(HistoryError) -> ReadinessMarker? {
    let bytes: [UInt8]?
    do throws(DurableFile.Failure) {
      bytes = try DurableFile(path: neighbours.marker).read(limit: sizeLimit)
    } catch {
      throw .markerNotRead(neighbours.marker, error)
    }
    guard let bytes else { return nil }
    guard let marker = ReadinessMarker(bytes) else { throw .markerDamaged(neighbours) }
    return marker
  }

  /// Takes the marker away; when this returns it is gone from the disk too.
  ///
  /// - Parameter neighbours: The store's files.
  /// - Throws: ``/HistoryModel/HistoryError`` when it is still there.
  package static func clear(_ neighbours: StoreNeighbours) throws(HistoryError) {
    do throws(DurableFile.Failure) {
      try FileNames.remove(neighbours.marker)
    } catch {
      throw .markerNotChanged(neighbours.marker, error)
    }
  }

  /// Writes the marker; when this returns it is on the disk.
  ///
  /// - Parameter neighbours: The store's files.
  /// - Throws: ``/HistoryModel/HistoryError``; there is then no new marker.
  package func write(_ neighbours: StoreNeighbours) throws(HistoryError) {
    do throws(DurableFile.Failure) {
      try DurableFile(path: neighbours.marker).replace(with: bytes, like: neighbours.database)
    } catch {
      throw .markerNotChanged(neighbours.marker, error)
    }
  }

  private var bytes: [UInt8] {
    var time: [UInt8] = []
    self.time.append(to: &time)
    let object = JSONObject([
      .init(name: "format", value: 1), .init(name: "store", value: .string(store.description)),
      .init(name: "schema", value: .integer(Int64(schema))),
      .init(name: "writer", value: .string(writer)),
      .init(name: "at", value: .string(String(decoding: time, as: UTF8.self))),
    ])
    var bytes: [UInt8] = []
    JSONText.append(.object(object), to: &bytes)
    return bytes + [UInt8(ascii: "\n")]
  }

  private init?(_ bytes: [UInt8]) {
    guard let value = try? JSONValue(parsing: bytes[...]), value["format"]?.integer == 1,
      let store = value["store"]?.string.flatMap({ StoreIdentifier($0) }),
      let schema = value["schema"]?.integer.flatMap({ Int(exactly: $0) }),
      let writer = value["writer"]?.string,
      let time = value["at"]?.string.flatMap({ CalendarTime($0) })
    else { return nil }
    self.init(store: store, schema: schema, writer: writer, time: time)
  }
}
