private import Glibc

extension WriterProcess {
  /// Reads one JSON string a line, runs it as SQL, answers one line: `+` and a value, or `-` and
  /// an error.
  static let program = #"""
    import os, sqlite3, sys, json

    def say(mark, text):
        print(mark + str(text).replace("\n", " "), flush=True)

    def fail(error):
        say("-", getattr(error, "sqlite_errorname", type(error).__name__) + ": " + str(error))

    def statements(script):
        text = ""
        for part in script.split(";"):
            text += part + ";"
            if sqlite3.complete_statement(text):
                yield text
                text = ""

    try:
        if sys.argv[3] == "nobody" and os.geteuid() == 0:
            os.setuid(65534)
        # Only a path that starts with "file:" is a URI.
        db = sqlite3.connect(
            sys.argv[1], isolation_level=None, timeout=int(sys.argv[2]) / 1000, uri=True)
        say("+", "")
    except Exception as error:
        fail(error)
        sys.exit(1)
    for line in sys.stdin:
        try:
            value = ""
            for statement in statements(json.loads(line)):
                for row in db.execute(statement):
                    value = row[0]
            say("+", value)
        except Exception as error:
            fail(error)
    """#

  static func jsonString(_ text: String) -> [UInt8] {
    var line: [UInt8] = [0x22]
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: line += [0x5C, byte]
      case ..<0x20:
        let digits = String(byte, radix: 16)
        line += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      default: line.append(byte)
      }
    }
    return line + [0x22, 0x0A]
  }

  /// Starts a program found in the path.
  static func spawn(_ arguments: [String], standardInputAndOutput end: Int32) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO)
    let strings = arguments.map { strdup($0) }
    defer { for string in strings { free(string) } }
    var processID: Int32 = 0
    let code = posix_spawnp(
      &processID, arguments[0], &actions, nil, strings + [nil], environ)
    guard code == 0 else { throw OperatingSystemError("posix_spawnp", code: code) }
    return processID
  }
}
