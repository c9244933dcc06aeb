import EventLoop
import HistoryModel
import HistoryStore
import SQLite

extension StoreRecovery {
  /// Makes and proves the copy, and puts it in the place of the store.
  func replace(
    _ files: StoreNeighbours, by copy: StoreCopy, of identity: StoreIdentifier?,
    _ reached: (Step) throws -> Void
  ) throws -> Outcome {
    let rows = try copy.make()
    try reached(.copied)
    let proof = try copy.prove(rows)
    try reached(.proved)
    let hadMarker = FileNames.isTaken(files.marker)
    let (epoch, schema, isMigrated) = try beginEpoch(
      in: copy, after: try KnownStore.latestEpoch(files, of: identity))
    try reached(.epochBegun)
    let replaced = try exchange(files, for: copy, reached)
    if let schema, let identity {
      try ReadinessMarker(
        store: identity, schema: schema, writer: writer,
        time: CalendarTime(milliseconds: WallClock.milliseconds)
      ).write(files)
    }
    try reached(.markerWritten)
    return Outcome(
      path: files.database, store: identity, epoch: epoch, tables: proof.applicationRows.count,
      rows: proof.applicationRows.values.reduce(0, +), brokenReferences: proof.brokenReferences,
      replaced: replaced, schema: schema,
      needsOwner: schema == nil && (isMigrated || hadMarker))
  }

  /// Begins a new epoch in the copy, if it is tracked, and sees whether its owner had left it ready.
  private func beginEpoch(
    in copy: StoreCopy, after latest: UInt32
  ) throws -> (epoch: UInt32?, schema: Int?, isMigrated: Bool) {
    let connection = try Connection(path: copy.path)
    let result = try connection.transaction(.immediate) {
      let epochs = StoreEpochs(connection)
      let epoch = try epochs.current() == nil ? nil : try epochs.begin(after: latest)
      return (
        epoch: epoch, schema: try StoreSeal.schemaLeftReady(connection),
        isMigrated: try BoundaryTable(connection).exists
      )
    }
    // The last connection moves what it wrote from the log into the file.
    try connection.close()
    guard copy.isSelfContained else { throw HistoryError.filesInTheWay(copy.path + "-wal") }
    return result
  }

  /// Moves what is at the path aside and the copy there.
  ///
  /// - Returns: Where that is which was there before; nil if nothing was.
  private func exchange(
    _ files: StoreNeighbours, for copy: StoreCopy, _ reached: (Step) throws -> Void
  ) throws -> String? {
    let exclusion = try exclusion(files)
    defer { withExtendedLifetime(exclusion) {} }
    try ReadinessMarker.clear(files)
    try reached(.markerCleared)
    let aside = SetAside(
      files, now: CalendarTime(milliseconds: WallClock.milliseconds))
    let isNeeded = aside.isNeeded
    if isNeeded { try aside.move { part in try reached(Self.step(part)) } }
    for part in StoreCopy.parts where FileNames.isTaken(files.database + part) {
      throw HistoryError.filesInTheWay(files.database + part)
    }
    try HistoryError.naming(files.database) { () throws(DurableFile.Failure) in
      try FileNames.rename(copy.path, to: files.database)
    }
    try reached(.putInPlace)
    try aside.finish()
    try reached(.noteForgotten)
    return isNeeded ? aside.target : nil
  }

  private static func step(_ part: String?) -> Step {
    switch part {
    case nil: .placeNoted
    case "": .databaseMoved
    case "-wal": .logMoved
    case "-journal": .journalMoved
    default: .memoryMoved
    }
  }

  /// Keeps everybody else out of the store for as long as what is returned lives.
  ///
  /// A writer who has it open would go on writing to what was moved aside.
  ///
  /// - Returns: The lock; nil where there is no store, or it cannot be known who uses it.
  func exclusion(_ files: StoreNeighbours) throws(HistoryError) -> FileExclusion? {
    guard DatabaseFile(path: files.database) != nil else { return nil }
    do throws(FileExclusion.Refusal) {
      return try FileExclusion(path: files.database)
    } catch {
      switch error {
      case .taken: throw .stillOpen(files.database)
      case .impossible: return nil
      }
    }
  }
}

extension StoreSeal {
  /// The schema for which a store's owner left it ready, by what the store says of itself.
  ///
  /// - Parameter connection: A connection to the store.
  /// - Returns: The version; nil when it was not left ready, or its tables have changed since.
  /// - Throws: What SQLite reports.
  static func schemaLeftReady(_ connection: Connection) throws -> Int? {
    guard try StoreSeal.isCurrent(connection) else { return nil }
    return try connection.row("PRAGMA user_version")?[0].integer.map { Int($0) }
  }
}
