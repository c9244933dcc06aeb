import HistoryModel
import HistoryStore
import SQLite

/// What a diagnosis tells of a history.
struct DiagnosedHistory {
  /// The history; null where there is none.
  let json: JSONValue

  init(_ path: String) {
    do throws(HistoryError) {
      let store = try TrackedStore(path: path, access: .readOnly, busyTimeout: 1000)
      let report = try StoreReport(store)
      let state = report.state
      json = [
        "store": .string(state.storeIdentifier.description),
        "epoch": .integer(Int64(state.epoch)),
        "oldest": .integer(state.oldest.sequence), "head": .integer(state.head.sequence),
        "size": .integer(report.size.bytes), "tables": .array(report.tables.map(Self.table)),
        "consumers": .array(
          report.consumers.map {
            ["name": .string($0.name), "lag": .integer($0.lag)]
          }),
        "findings": .array(
          try store.check().filter(\.needsAttention).map { .string($0.sentence) }),
      ]
    } catch {
      json = error.code == .notTracked ? .null : DiagnosedDatabase.failure(error)
    }
  }

  private static func table(_ table: TableStatus) -> JSONValue {
    [
      "table": .string(table.table), "capture": .string(table.capture.rawValue),
      "keepsTimes": .boolean(table.keepsTimes),
      "drift": .array(table.drift.map { .string($0) }),
    ]
  }
}
