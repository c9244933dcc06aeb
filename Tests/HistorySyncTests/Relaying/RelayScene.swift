import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite

/// What a carrier's tests need of the server behind it.
protocol RelayScene {
  /// A new connection.
  nonisolated(nonsending) func carrier(
    of store: StoreIdentifier
  ) async throws(RelayFailure) -> any RelayCarrier

  /// A new connection to read from.
  nonisolated(nonsending) func source(
    of store: StoreIdentifier
  ) async throws(RelayFailure) -> any RelaySource

  /// Lets the server crash and come back.
  func crash() throws

  /// Lets nothing go wrong any more.
  func calm()
}

extension RelayScene {
  func calm() {}
}

struct MemoryScene: RelayScene {
  let server: MemoryServer

  func carrier(of store: StoreIdentifier) async throws(RelayFailure) -> any RelayCarrier {
    MemoryCarrier(server, store)
  }

  func source(of store: StoreIdentifier) async throws(RelayFailure) -> any RelaySource {
    MemoryCarrier(server, store)
  }

  func crash() { server.crash() }

  func calm() { server.mischief = 0 }
}

/// A store that is relayed and one that follows it, through the carriers of a scene.
final class RelayPair {
  let pair: SyncPair
  let scene: any RelayScene
  let identifier: StoreIdentifier
  /// What was told of a comparison with the rows.
  private(set) var outcome: SnapshotOutcome?

  init(_ scene: any RelayScene, _ sql: String = "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") throws
  {
    self.scene = scene
    pair = try SyncPair(sql)
    identifier = try pair.stores[0].opened().state().storeIdentifier
  }

  func makeRelay(_ options: HistoryRelay.Options = .init()) throws -> HistoryRelay {
    HistoryRelay(try pair.stores[0].opened(), options)
  }

  /// Drives a relay until everything is confirmed, or for so many steps.
  nonisolated(nonsending) func drive(_ relay: HistoryRelay, steps: Int = .max) async throws {
    var carrier: (any RelayCarrier)?
    defer { carrier?.close() }
    relay.lost(HistoryError(.temporary, "it begins"))
    for _ in 0..<steps {
      switch relay.action {
      case .connect:
        carrier?.close()
        do throws(RelayFailure) {
          let made = try await scene.carrier(of: identifier)
          carrier = made
          relay.connected(to: made)
        } catch {
          if case .failed(let error) = error { throw error }
        }
      case .anchor: if let carrier { try await relay.anchor(carrier, now: .zero) }
      case .read: try relay.read()
      case .append: if let carrier { _ = try await relay.append(to: carrier, now: .zero) }
      case .wait:
        // A crash may have taken what was confirmed.
        guard carrier?.loss == nil else {
          relay.lost(HistoryError(.temporary, "it crashed"))
          continue
        }
        return
      }
    }
  }

  /// Relays everything.
  nonisolated(nonsending) func relay(_ options: HistoryRelay.Options = .init()) async throws {
    try await drive(makeRelay(options))
  }

  /// Lets the other store follow up to the last message.
  nonisolated(nonsending) func follow(resynchronizes: Bool = false) async throws {
    let applier = try HistoryApplier(path: pair.stores[1].path)
    let follower = RelayFollower(
      applier, following: identifier, resynchronizes: resynchronizes)
    while true {
      var source: (any RelaySource)?
      defer { source?.close() }
      do {
        let made = try await scene.source(of: identifier)
        source = made
        var last = try await follower.begin(made)
        while follower.sequence < last {
          guard let message = try await made.next() else { continue }
          if try !follower.take(message).follows { last = try await follower.begin(made) }
          outcome = follower.takeOutcome() ?? outcome
        }
        return try follower.finish()
      } catch let failure as RelayFailure {
        if case .failed(let error) = failure { throw error }
      }
    }
  }

  /// Writes without SQLite's help for a name, under an author.
  func write(_ sql: String, author: String? = "app") throws {
    let tagged = author.map { "INSERT INTO history_author(name) VALUES ('\($0)'); \(sql);" }
    try pair.stores[0].connection().execute(
      "BEGIN IMMEDIATE; \(tagged.map { $0 + " DELETE FROM history_author" } ?? sql); COMMIT")
  }

  /// Writes something, drawn.
  func writeAnything(_ generator: inout SeededGenerator) throws {
    let author = ["a", "b", nil].randomElement(using: &generator) ?? nil
    let key = Int.random(in: 0..<30, using: &generator)
    let sql =
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: "DELETE FROM t WHERE id = \(key)"
      // More than one message, in many lines and in one.
      case 1:
        "INSERT INTO t(a) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60) "
          + "SELECT 'many ' || i FROM n"
      case 2: "INSERT OR REPLACE INTO t VALUES(\(key), randomblob(9000))"
      case 3: "UPDATE t SET a = a || 'x' WHERE id < \(key)"
      default: "INSERT OR REPLACE INTO t VALUES(\(key), \(key) || random())"
      }
    try write(sql, author: author)
  }

  func rows(_ place: Int) throws -> [[StoredValue]] { try pair.rows(place) }
}
