import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import Testing

@Suite("Relaying through a carrier in memory")
struct MemoryCarrierTests {
  private let server = MemoryServer()
  private var contract: RelayContract { RelayContract(scene: MemoryScene(server: server)) }

  @Test("a message is stored after the one that was named, and after no other")
  func compareAndAppend() async throws { try await contract.compareAndAppend() }

  @Test("messages are read in order, from wherever one begins")
  func reading() async throws { try await contract.reading() }

  @Test("a store's history arrives whole")
  func relaying() async throws { try await contract.relaying() }

  @Test(
    "whatever a carrier does, each change arrives once and in order", .timeLimit(.minutes(2)),
    arguments: TestScale.seeds(4))
  func misbehaving(seed: UInt64) async throws {
    let server = MemoryServer(seed: seed)
    server.mischief = 12
    try await RelayContract(scene: MemoryScene(server: server)).crashing(rounds: 8, seed: seed)
    #expect(server.losses > 0)
  }
}
