import EventLoop
public import HistoryModel

/// Reads a file of facts that a ``SnapshotWriter`` keeps; whatever is wrong with it, there is a
/// value.
///
/// ```swift
/// let reader = SnapshotReader(path: "facts.json", schema: 3, empty: Facts())
/// let reading = reader.read()
/// show(reading.payload, isOld: reading.age().map { $0 > .seconds(3600) } ?? true)
/// ```
public struct SnapshotReader<Payload: Codable & Sendable>: Sendable {
  /// The file's path.
  public let path: String
  /// The version of what the payload is made of; no other is accepted.
  public let schema: Int
  /// What there is instead of a payload that cannot be used.
  public let empty: Payload
  /// How many bytes the file may have.
  public let sizeLimit: Int

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - schema: The version of what the payload is made of.
  ///   - empty: What there is instead of a payload that cannot be used.
  ///   - sizeLimit: How many bytes the file may have. Reading takes a multiple of it in memory.
  public init(path: String, schema: Int, empty: Payload, sizeLimit: Int = 16 << 20) {
    self.path = path
    self.schema = schema
    self.empty = empty
    self.sizeLimit = sizeLimit
  }

  /// Reads the file.
  ///
  /// - Returns: The payload with what is known of it, or the empty one with the reason.
  /// - Complexity: O(*n*) for *n* bytes, and never for more than the limit.
  public func read() -> SnapshotReading<Payload> {
    do throws(SnapshotFault) {
      return SnapshotReading(found: try snapshot())
    } catch {
      return SnapshotReading(payload: empty, fault: error)
    }
  }

  private func snapshot() throws(SnapshotFault) -> Snapshot<Payload> {
    let file = try value()
    guard let format = file["format"]?.integer else { throw .damaged }
    guard format == 1 else { throw .otherFormat }
    guard let version = file["schema"], let time = file["generatedAt"]?.string,
      let generatedAt = CalendarTime(time), let payload = file["payload"]
    else { throw .damaged }
    guard version.integer == Int64(schema) else { throw .otherSchema }
    let decoded: Payload
    do {
      decoded = try payload.decode(Payload.self)
    } catch {
      throw .otherPayload
    }
    return Snapshot(
      schema: schema, token: try Self.token(file["token"]), generatedAt: generatedAt,
      payload: decoded)
  }

  private static func token(_ value: JSONValue?) throws(SnapshotFault) -> HistoryToken? {
    guard let value, !value.isNull else { return nil }
    guard let token = try? value.decode(HistoryToken.self) else { throw .damaged }
    return token
  }

  private func value() throws(SnapshotFault) -> JSONValue {
    let bytes: [UInt8]?
    do throws(DurableFile.Failure) {
      bytes = try DurableFile(path: path).read(limit: min(max(sizeLimit, 0), .max - 1) + 1)
    } catch {
      throw .unreadable
    }
    guard let bytes else { throw .missing }
    guard bytes.count <= sizeLimit else { throw .tooLarge }
    do throws(JSONError) {
      return try JSONValue(parsing: bytes[...], limits: .init(depth: 512, bytes: sizeLimit))
    } catch {
      throw .damaged
    }
  }
}

/// What a ``SnapshotReader`` found.
public struct SnapshotReading<Payload: Sendable>: Sendable {
  /// The facts, or the empty value that the reader was made with.
  public let payload: Payload
  /// The facts with what is known of them; nil when they cannot be used.
  public let snapshot: Snapshot<Payload>?
  /// Why the facts cannot be used; nil when they can.
  public let fault: SnapshotFault?

  init(found: Snapshot<Payload>) {
    (payload, snapshot, fault) = (found.payload, found, nil)
  }

  init(payload: Payload, fault: SnapshotFault) {
    (self.payload, snapshot, self.fault) = (payload, nil, fault)
  }

  /// How old the facts are.
  ///
  /// - Parameter now: The present; nil for the system's clock.
  /// - Returns: The time since they were found; nil when there are none.
  public func age(at now: CalendarTime? = nil) -> Duration? { snapshot?.age(at: now) }
}
