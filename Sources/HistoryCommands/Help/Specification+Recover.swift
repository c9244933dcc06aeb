extension CommandSpecification {
  /// The table of `recover`.
  static let recover = CommandSpecification(
    name: "recover", group: .maintain,
    summary: "Put a backup in the place of a store, and keep both",
    operands: [.database],
    options: [
      OptionSpecification("from", .backup, help: "The database to copy"),
      OptionSpecification("any-store", help: "Accept the backup of another store"),
    ],
    discussion: [
      "The backup is copied, never moved, and the copy is proved before anything is changed: its "
        + "integrity, and the number of rows of every table. What was there is moved aside, never "
        + "deleted. It can be done again after a crash.",
      "Nobody may have the store open meanwhile. A tracked store begins a new epoch: positions up "
        + "to the backup's head stay good, later ones have expired as store-restored.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch recover app.db --from app.db.backup",
      explanation: "Copies the backup to app.db, and says where the old one is kept."),
    exits: [
      ExitSpecification(.success),
      ExitSpecification(.failure, "the store is in use, the disk is full, or the like: try again"),
      ExitSpecification(.usage),
      ExitSpecification(.unavailable, "the backup is missing, damaged, or of another store"),
    ])
}
