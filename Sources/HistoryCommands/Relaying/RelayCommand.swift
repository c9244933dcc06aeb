import HistoryModel
import HistorySync

/// The `relay` command.
enum RelayCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    let path = try arguments.database
    guard let to = arguments.value("to") else {
      throw HistoryError(
        .usage, "relay needs to know where to", hint: "add --to nats://HOST/STREAM")
    }
    let address = try RelayAddress(to, for: "--to")
    var stream = try RelayStream(arguments, address)
    try stream.mayCreate(arguments)
    var options = RelaySession.Options(database: path, stream: stream)
    options.isFollowing = !arguments.flag("no-follow")
    options.relay.beginsAnew = arguments.flag("resync")
    if let grace = try arguments.duration("grace") { options.relay.grace = grace }
    return try await RelaySession(options, program).run(in: program)
  }
}
