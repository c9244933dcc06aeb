import HistoryModel
import Testing

@testable import HistorySync

@Suite("Relay state machine")
struct RelayStateMachineTests {
  private let message: RelayMessage = {
    let token = HistoryToken(storeIdentifier: StoreIdentifier(), epoch: 1, sequence: 1, check: 1)
    let mark = RelayMark.at(RelayPosition(token))
    return RelayMessage(.new, base: nil, from: mark, to: mark, body: [])
  }()

  private func sending(after last: UInt64) -> RelayStateMachine {
    var machine = RelayStateMachine()
    machine.connected()
    machine.anchored(at: last)
    machine.read(message)
    return machine
  }

  @Test("it connects, asks where the carrier stands, reads, appends, and waits")
  func wholeWay() {
    var machine = RelayStateMachine()
    #expect(machine.action == .connect)
    machine.connected()
    #expect(machine.action == .anchor)
    machine.anchored(at: 5)
    #expect(machine.action == .read)
    machine.read(message)
    #expect(machine.action == .append(message, expecting: 5))
    machine.stored(at: 9)
    #expect(machine.action == .read)
    machine.read(message)
    #expect(machine.action == .append(message, expecting: 9))
    machine.stored(at: 10)
    machine.cameToHead()
    #expect(machine.action == .wait)
    machine.woke()
    #expect(machine.action == .read)
  }

  @Test("after a refusal it asks where the carrier stands, and sends nothing before")
  func refused() {
    var machine = sending(after: 5)
    machine.refused()
    #expect(machine.action == .anchor)
    machine.stored(at: 6)
    machine.read(message)
    machine.cameToHead()
    machine.woke()
    #expect(machine.action == .anchor)
  }

  @Test("after any doubt it connects anew, and forgets what was on its way")
  func lost() {
    var machine = sending(after: 5)
    machine.lost()
    #expect(machine.action == .connect)
    machine.stored(at: 6)
    machine.anchored(at: 6)
    #expect(machine.action == .connect)
    machine.connected()
    machine.anchored(at: 6)
    #expect(machine.action == .read)
  }
}

@Suite("Relay confirmations")
struct RelayConfirmationsTests {
  private let store = StoreIdentifier()

  private func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: sequence, check: 1)
  }

  @Test("what was confirmed counts after the grace time, the last of it")
  func grace() {
    var confirmations = RelayConfirmations(grace: .seconds(64))
    confirmations.confirmed(token(1), since: .seconds(0))
    confirmations.confirmed(token(2), since: .seconds(10))
    #expect(confirmations.due(now: .seconds(63)) == nil)
    #expect(confirmations.next == .seconds(64))
    #expect(confirmations.due(now: .seconds(64)) == token(1))
    #expect(confirmations.due(now: .seconds(73)) == nil)
    #expect(confirmations.due(now: .seconds(90)) == token(2))
    #expect(confirmations.next == nil)
  }

  @Test("what the carrier lost does not count")
  func lost() {
    var confirmations = RelayConfirmations(grace: .seconds(64))
    confirmations.confirmed(token(1), since: .seconds(0))
    confirmations.confirmed(token(2), since: .seconds(10))
    confirmations.anchored(at: token(1))
    #expect(confirmations.due(now: .seconds(500)) == token(1))
  }

  @Test("where the carrier has nothing any more, nothing counts")
  func allLost() {
    var confirmations = RelayConfirmations(grace: .seconds(64))
    confirmations.confirmed(token(1), since: .seconds(0))
    confirmations.anchored(at: nil)
    #expect(confirmations.due(now: .seconds(500)) == nil)
    #expect(confirmations.next == nil)
  }

  @Test("however much is confirmed, little is remembered, and nothing counts too early")
  func bounded() {
    var confirmations = RelayConfirmations(grace: .seconds(64))
    var highest: Int64 = 0
    for moment in 0..<20_000 {
      let now = Duration.milliseconds(moment * 10)
      confirmations.confirmed(token(Int64(moment)), since: now)
      guard let due = confirmations.due(now: now) else { continue }
      #expect(due.sequence <= Int64(moment) - 6400)
      #expect(due.sequence > Int64(moment) - 6400 - 300)
      highest = due.sequence
    }
    #expect(highest > 10_000)
    #expect(confirmations.count <= 70)
  }

  @Test("without a grace time everything counts at once")
  func none() {
    var confirmations = RelayConfirmations(grace: .zero)
    confirmations.confirmed(token(1), since: .zero)
    #expect(confirmations.due(now: .zero) == token(1))
  }
}

@Suite("Relay address")
struct RelayAddressTests {
  @Test("an address names servers, a stream, and who one is")
  func parts() throws {
    let address = try RelayAddress("nats://me:s@cr/et@a:4222,b/History_1", for: "--to")
    #expect(address.hosts == "a:4222,b")
    #expect(address.servers == ["nats://me:s@cr/et@a:4222", "nats://me:s@cr/et@b"])
    #expect(address.stream == "History_1")
    #expect(!address.isSecure)
    #expect(try RelayAddress("tls://a/S", for: "--to").isSecure)
  }

  @Test(
    "what is none is refused without showing it",
    arguments: [
      "nats://a", "nats://a/", "nats:///S", "nats://a,/S", "nats://a/S.T", "http://a/S", "",
      "nats://u:secret@a/b/c",
    ])
  func refused(text: String) {
    do {
      _ = try RelayAddress(text, for: "--to")
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .usage)
      #expect(!error.description.contains("secret"))
    }
  }
}
