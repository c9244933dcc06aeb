import EventLoop
import HistoryModel
import HistoryTestSupport
import StoreBoundary
import Testing

/// A snapshot as it should be.
private let whole: String =
  #"{"format":1,"schema":3,"token":null,"generatedAt":"2027-01-15T08:00:00.000Z","#
  + #""payload":{"open":2}}"#

@Suite("Snapshot reader")
struct SnapshotReaderTests {
  private static func reading(
    _ text: String, schema: Int = 3, sizeLimit: Int = 1 << 20
  ) throws -> SnapshotReading<Facts> {
    let scene = try SnapshotScene()
    try DurableFile(path: scene.path).replace(with: Array(text.utf8))
    return scene.reader(schema: schema, sizeLimit: sizeLimit).read()
  }

  @Test("a whole file gives its payload, what is known of it, and its age")
  func wholeFile() throws {
    let reading = try Self.reading(whole)
    #expect(reading.payload == Facts(open: 2))
    #expect(reading.fault == nil)
    let time = CalendarTime(milliseconds: 1_800_000_000_000)
    #expect(
      reading.snapshot
        == Snapshot(schema: 3, token: nil, generatedAt: time, payload: Facts(open: 2)))
    #expect(reading.age(at: CalendarTime(milliseconds: 1_800_000_061_500)) == .milliseconds(61_500))
    // A clock that was set back does not make facts younger than new.
    #expect(reading.age(at: CalendarTime(milliseconds: 1_700_000_000_000)) == .zero)
    #expect(reading.age() != nil)
  }

  @Test("fields that are not known yet are passed over")
  func furtherFields() throws {
    let text = whole.dropLast() + #","more":[1,{"a":null}]}"#
    #expect(try Self.reading(String(text)).payload == Facts(open: 2))
  }

  @Test(
    "whatever else is there gives the empty value and the reason",
    arguments: [
      ("", .damaged), ("{", .damaged), ("[]", .damaged), ("{}", .damaged), ("null", .damaged),
      (String(whole.dropLast()), .damaged), (whole + "x", .damaged),
      (whole.replacing("\"format\":1", with: "\"format\":2"), .otherFormat),
      (whole.replacing("\"format\":1", with: "\"format\":\"1\""), .damaged),
      (whole.replacing("\"schema\":3", with: "\"schema\":4"), .otherSchema),
      (whole.replacing("\"schema\":3", with: "\"schema\":null"), .otherSchema),
      (whole.replacing("\"schema\":3", with: "\"schema\":\"3\""), .otherSchema),
      (whole.replacing("\"schema\":3,", with: ""), .damaged),
      (whole.replacing("\"token\":null", with: "\"token\":\"hw1.x\""), .damaged),
      (whole.replacing("2027-01", with: "2027-13"), .damaged),
      (whole.replacing("\"open\":2", with: "\"open\":\"2\""), .otherPayload),
      (whole.replacing("\"open\":2", with: "\"closed\":2"), .otherPayload),
      (whole.replacing("\"payload\"", with: "\"rows\""), .damaged),
      (String(repeating: "[", count: 100_000), .damaged),
    ] as [(String, SnapshotFault)])
  func faults(text: String, fault: SnapshotFault) throws {
    let reading = try Self.reading(text)
    #expect(reading.fault == fault)
    #expect(reading.payload == Facts(open: -1))
    #expect(reading.snapshot == nil)
    #expect(reading.age() == nil)
  }

  @Test("every file that was cut short gives the empty value")
  func cutShort() throws {
    let bytes = Array(whole.utf8)
    for length in bytes.indices {
      let reading = try Self.reading(String(decoding: bytes[..<length], as: UTF8.self))
      #expect(reading.fault == .damaged)
      #expect(reading.payload == Facts(open: -1))
    }
  }

  @Test("a file that is missing, no file or too large gives the empty value")
  func noFile() throws {
    let scene = try SnapshotScene()
    #expect(scene.reader().read().fault == .missing)
    let directory = SnapshotReader(path: scene.directory.path, schema: 3, empty: Facts(open: -1))
    #expect(directory.read().fault == .unreadable)
    let size = whole.utf8.count
    #expect(try Self.reading(whole, sizeLimit: size).fault == nil)
    #expect(try Self.reading(whole, sizeLimit: size - 1).fault == .tooLarge)
    #expect(try Self.reading(whole, sizeLimit: -1).fault == .tooLarge)
    #expect(try Self.reading(whole, sizeLimit: .max).fault == nil)
  }
}
