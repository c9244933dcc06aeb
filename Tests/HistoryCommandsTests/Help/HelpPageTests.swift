import Testing

@testable import HistoryCommands

@Suite("Help pages")
struct HelpPageTests {
  @Test("the list of commands is grouped by what people want to do")
  func overview() throws {
    #expect(
      try CommandLineCase.help("--help") == """
        historywatch - the change history of SQLite databases, live

        Usage: historywatch [COMMAND] [OPTIONS] DATABASE

        Start and stop
          track        Start capturing the changes of tables, whoever writes them
          untrack      Stop capturing; what was captured can still be read

        Follow changes
          stream       Print changes as JSON lines, as they commit (the default)
          log          Show transactions for a person to read, newest first
          results      Print the rows of a query, then what changes in them
          run          Run a command when matching changes have committed
          serve        Serve changes to other programs over a socket
          consumer     Keep named positions in the store
          apply        Make a store follow another one
          relay        Forward the history to NATS JetStream

        Write and share
          write        Run SQL as one transaction under an author's name
          migrate      Bring a store's schema to the end of a plan
          ready        Say whether a program made for a schema may open it
          snapshot     Write the rows of a query to a file, whole or not at all

        Look after a store
          status       Show tracked tables, positions, and size of the history
          check        Verify that every change is captured, and repair it
          trim         Drop the oldest part of the history
          recover      Put a backup in the place of a store, and keep both
          diagnose     Write what is known of a store, and nothing stored

        Get to know it
          demo         Watch two writers and their live history in ten seconds
          completions  Print the completion script of a shell

        Start here
          historywatch track app.db      then let anything write to app.db
          historywatch app.db            and see what it changes, as it happens

        historywatch COMMAND --help explains a command; see also --version, --manual.

        """)
  }

  @Test("the list of commands fits a screen")
  func fits() {
    let lines = HelpPage(.standard).text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect((24...42).contains(lines.count))
  }

  @Test("a command's page has its options aligned, an example and its exit codes")
  func trim() throws {
    #expect(
      try CommandLineCase.help("trim", "--help") == """
        historywatch trim - Drop the oldest part of the history

        Usage: historywatch trim [OPTIONS] DATABASE

        Tokens before the cut expire. It works in short transactions, gives way to
        writers, and prints what was dropped. Durations read 250ms, 10s, 5m, 2h, 7d;
        sizes 64KB, 64MB, 1GB.

        Options
          --older-than DURATION  Drop what is older than this
          --keep-last N          Keep this many transactions and drop what is older
          --through TOKEN        Drop everything up to this position
          --max-size SIZE        Drop until the history is no larger
          --force                Also drop what consumers have not acknowledged
          -h, --help             Show this page

        Example
          historywatch trim app.db --older-than 7d
              Keeps a week of history, and whatever consumers still need.

        Exit codes
          0  did what was asked
          1  failed for a passing reason: try again
          2  wrong usage
          3  the --through position was trimmed already, or restored
          4  the position can never be used: damaged or of another store
          5  no such database, not a database, or not tracked

        """)
  }

  @Test("the page of the default command shows that its name may be left out")
  func stream() throws {
    let page = try #require(try CommandLineCase.help("stream", "-h"))
    #expect(page.contains("\nUsage: historywatch [stream] [OPTIONS] DATABASE\n"))
    #expect(
      page.contains("\n  --since TOKEN|oldest|now      Start after this position (default: now)\n"))
    #expect(page.contains("\n  124  the --timeout passed\n"))
  }

  @Test("a command with actions shows each of them")
  func consumer() throws {
    let page = try #require(try CommandLineCase.help("consumer", "create", "--help"))
    #expect(
      page.contains(
        """

        Usage: historywatch consumer list DATABASE
               historywatch consumer create DATABASE NAME [--at TOKEN|oldest]
               historywatch consumer acknowledge DATABASE NAME TOKEN
               historywatch consumer remove DATABASE NAME

        """))
    #expect(page.contains("\n  --at TOKEN|oldest  Where a new consumer begins"))
  }

  @Test("every command has a page of plain text within 80 columns")
  func widths() {
    for command in CommandRegistry.standard.commands {
      let page = HelpPage(command).text
      #expect(page.hasPrefix("historywatch \(command.name) - "))
      #expect(!page.contains("\u{1B}") && !page.contains("\t"))
      for line in page.split(separator: "\n") {
        #expect(line.count <= 80 && line.last != " ", "\(command.name): \(line)")
      }
    }
  }

  @Test("a style changes headings and nothing else")
  func styled() {
    let style = TerminalStyle(depth: .sixteen)
    let page = HelpPage(.check, style: style).text
    #expect(page.contains("\n\u{1B}[1mOptions\u{1B}[0m\n"))
    let plain = page.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
    #expect(plain == HelpPage(.check).text)
  }

  @Test("help wins over mistakes, and help COMMAND is the same page")
  func topics() throws {
    let page = try CommandLineCase.help("log", "--help")
    #expect(try CommandLineCase.help("help", "log") == page)
    #expect(try CommandLineCase.help("--help", "log", "a", "b", "--nonsense") == page)
    #expect(try CommandLineCase.help("help") == CommandLineCase.help("-h"))
    #expect(try CommandLineCase.help("app.db", "-h") == CommandLineCase.help("stream", "-h"))
    #expect(CommandLineCase.report("resluts", "--help").contains("no command \"resluts\""))
  }
}
