#if NATS
  import HistoryModel
  import HistorySync

  /// Every sentence that this module can say when something fails.
  extension HistoryError {
    static func unreachable(_ hosts: String, _ reason: String) -> HistoryError {
      HistoryError(
        .temporary, "no NATS server answers at \(hosts): \(reason)",
        hint: "check the address, and that the server runs")
    }

    static func connectionLost(_ hosts: String) -> HistoryError {
      HistoryError(
        .temporary, "the connection to \(hosts) is lost", hint: "nothing is lost; start it again")
    }

    static func noAnswer(_ hosts: String) -> HistoryError {
      HistoryError(
        .temporary, "\(hosts) does not answer as JetStream",
        hint: "start the server with -js; a user needs the right to publish to $JS.API.>")
    }

    static func refusedUser(_ hosts: String) -> HistoryError {
      HistoryError(
        .storeUnavailable, "\(hosts) refuses the user",
        hint: "give nats://USER:PASSWORD@HOST/STREAM, or --credentials FILE")
    }

    static func badCredentials(_ path: String) -> HistoryError {
      HistoryError(
        .storeUnavailable, "the credentials in \(path) cannot be used",
        hint: "give the file that nsc made for the user")
    }

    static func noStream(_ options: JetStreamOptions) -> HistoryError {
      HistoryError(
        .storeUnavailable,
        "\(options.address.hosts) has no stream \(options.address.stream)",
        hint: "create it with relay --create-stream, or with: nats stream add "
          + "\(options.address.stream) --subjects '\(options.prefix).*' --storage file --defaults")
    }

    static func otherSubjects(_ options: JetStreamOptions, _ subject: String) -> HistoryError {
      HistoryError(
        .storeUnavailable,
        "the stream \(options.address.stream) does not take the subject \(subject)",
        hint: "add '\(options.prefix).*' to its subjects, or give --subject-prefix")
    }

    static func answered(_ code: Int64, _ text: String) -> HistoryError {
      HistoryError(
        code >= 500 ? .temporary : .storeUnavailable, "the NATS server answered: \(text)",
        hint: "see the server's log")
    }

    static func noAnswerInJSON(_ hosts: String) -> HistoryError {
      HistoryError(
        .temporary, "\(hosts) gave an answer that is not JetStream's",
        hint: "check that nothing else answers there")
    }

    static func noThread(_ reason: String) -> HistoryError {
      HistoryError(
        .temporary, "there is no thread for the connection: \(reason)",
        hint: "raise the limits of threads and of open files")
    }

    static func noStore(_ options: JetStreamOptions) -> HistoryError {
      HistoryError(
        .storeUnavailable,
        "the stream \(options.address.stream) has no store's history under \(options.prefix)",
        hint: "relay a store into it first")
    }

    static func severalStores(_ count: Int, _ options: JetStreamOptions) -> HistoryError {
      HistoryError(
        .usage, "the stream \(options.address.stream) has the history of \(count) stores",
        hint: "say which to follow with --store UUID, as status shows it at the source")
    }

    static func notFromARelay(_ subject: String) -> HistoryError {
      HistoryError(
        .tablesDiffer, "a message under \(subject) was not written by a relay",
        hint: "give the relay a subject of its own with --subject-prefix")
    }
  }
#endif
