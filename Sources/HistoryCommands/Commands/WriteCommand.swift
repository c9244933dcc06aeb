import EventLoop
import HistoryModel
import HistoryStore

/// The `write` command.
enum WriteCommand {
  static func run(
    _ arguments: ParsedArguments, in program: isolated Program
  ) async throws -> ExitCode {
    guard
      let author = arguments.value("author")
        ?? ProcessEnvironment.value("HISTORYWATCH_AUTHOR")
    else {
      throw HistoryError(
        .usage, "write needs to know who writes",
        hint: "add --author NAME, or set HISTORYWATCH_AUTHOR")
    }
    guard !author.isEmpty else {
      throw HistoryError(.usage, "the author is empty", hint: "add --author NAME")
    }
    let path = try arguments.database
    let script = try await script(arguments, program)
    // Whoever types a command asked for this transaction and for nothing else.
    let writer = try StoreWriter(
      path: path, foreignKeys: arguments.flag("foreign-keys"), retention: nil)
    guard script.contains(where: { !$0.isWhitespace }) else {
      throw HistoryError(
        .usage, "there is no SQL to run",
        hint: "if it comes from a shell variable or a pipe: is there anything in it?")
    }
    let token = try await writer.write(author: author, context: arguments.value("context")) {
      try $0.execute(script)
    }
    try await program.print("\(token)\n")
    return .success
  }

  /// The SQL, from the one place that was named.
  private static func script(
    _ arguments: ParsedArguments, _ program: isolated Program
  ) async throws -> String {
    if let sql = arguments.operand("SQL") {
      guard arguments.value("file") == nil else {
        throw HistoryError(
          .usage, "SQL is given twice, as an argument and by --file", hint: "leave one of them out")
      }
      if sql != "-" { return sql }
    }
    var bytes: [UInt8] = []
    if let path = arguments.value("file") {
      do {
        guard let content = try DurableFile(path: path).read(limit: .max) else {
          throw HistoryError(
            .usage, "there is no file \(path)", hint: "check the path after --file")
        }
        bytes = content
      } catch let failure as DurableFile.Failure {
        throw HistoryError(
          .usage, "\(path) cannot be read: \(failure)",
          hint: "name a file that this user may read after --file")
      }
    } else {
      let input = InputPort(descriptor: 0, on: program.executor)
      while true {
        let chunk = try await input.read()
        if chunk.isEmpty { break }
        bytes += chunk
      }
    }
    guard let script = String(validating: bytes, as: UTF8.self) else {
      throw HistoryError(
        .usage, "the SQL is not valid UTF-8", hint: "convert it, with iconv -t UTF-8 for example")
    }
    return script
  }
}
