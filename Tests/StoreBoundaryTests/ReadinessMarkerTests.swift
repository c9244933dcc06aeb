import HistoryModel
import HistoryTestSupport
import Testing

@testable import StoreBoundary

@Suite("Readiness marker")
struct ReadinessMarkerTests {
  private let directory: TemporaryDirectory
  private let neighbours: StoreNeighbours
  private let marker = ReadinessMarker(
    store: StoreIdentifier(), schema: 3, writer: "app",
    time: CalendarTime(milliseconds: 1_700_000_000_123))

  init() throws {
    directory = try TemporaryDirectory()
    neighbours = StoreNeighbours(of: directory.file("app.db"))
  }

  @Test("what was written is read, and once cleared there is none")
  func roundTrip() throws {
    #expect(try ReadinessMarker.read(neighbours) == nil)
    try marker.write(neighbours)
    #expect(try ReadinessMarker.read(neighbours) == marker)
    try ReadinessMarker.clear(neighbours)
    #expect(try ReadinessMarker.read(neighbours) == nil)
    try ReadinessMarker.clear(neighbours)
  }

  @Test("a second owner is kept out and told who is there; those who ask do not keep him out")
  func lock() throws {
    #expect(!OwnerLock.isHeld(neighbours))
    do {
      let lock = try OwnerLock(neighbours, owner: "app")
      #expect(OwnerLock.isHeld(neighbours))
      let error = #expect(throws: HistoryError.self) { try OwnerLock(neighbours, owner: "other") }
      #expect(error?.unavailableReason == .locked)
      #expect(error?.message.contains("app (process ") == true)
      withExtendedLifetime(lock) {}
    }
    #expect(!OwnerLock.isHeld(neighbours))
    _ = try OwnerLock(neighbours, owner: "other")
  }
}
