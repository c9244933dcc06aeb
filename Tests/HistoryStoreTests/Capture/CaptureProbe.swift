import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// A tracked store that SQL is run on, and whose history must tell exactly what became of its rows.
struct CaptureProbe {
  let store: TemporaryStore
  /// The connection of the application.
  let connection: Connection
  private let history: TrackedStore
  private let tables: [String]
  private let hasImages: Bool

  /// Makes a store and tracks all its tables.
  ///
  /// - Parameters:
  ///   - schema: What makes it.
  ///   - capture: How much is captured.
  ///   - settings: Pragmas of the application's connection.
  ///   - omitsTimes: Whether times are left out.
  ///   - later: What the application makes after tracking.
  ///   - vfs: The file system layer of the application's connection.
  /// - Throws: What making, tracking or opening it throws.
  init(
    _ schema: String, _ capture: Capture = .changes, settings: String = "",
    omitsTimes: Bool = false, later: String = "", vfs: String? = nil
  ) throws {
    store = try TemporaryStore(sql: schema)
    try store.track(capture: capture, omitsTimes: omitsTimes)
    connection = try store.connection(vfs: vfs)
    try connection.execute(settings)
    try connection.execute(later)
    history = try store.opened()
    tables = try history.tables(isThorough: true).map(\.table)
    hasImages = capture != .keys
  }

  /// Runs a script, and checks that its history, replayed over the rows before it, gives the rows
  /// after it.
  ///
  /// - Parameters:
  ///   - sql: The script.
  ///   - fails: Whether its last statement must fail.
  ///   - sourceLocation: Where to say that it went wrong.
  /// - Returns: The changes that the history shows of it, a short line each.
  /// - Throws: What the script throws, and what reading throws.
  func run(
    _ sql: String, fails: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    var image = try RowImage(connection, tables: tables, hasValues: hasImages)
    let before = try history.state().head
    if fails {
      #expect(throws: SQLiteError.self, sourceLocation: sourceLocation) {
        try connection.execute(sql)
      }
    } else {
      try connection.execute(sql)
    }
    let recorder = try HistoryRecorder(history, after: before)
    try recorder.read()
    do throws(RowImage.Failure) {
      for change in recorder.transactions.flatMap(\.changes) { try image.apply(change) }
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
    let after = try RowImage(connection, tables: tables, hasValues: hasImages)
    #expect(
      image.differences(from: after) == [], "replayed: \(recorder.lines)",
      sourceLocation: sourceLocation)
    return recorder.lines
  }
}
