import EventLoop
import HTTPServer
import HistoryModel
import HistoryStore

/// What a collector of metrics is told.
struct ServerMetrics: Sendable {
  private(set) var text = PrometheusText()

  /// Looks at a server.
  init(_ server: WatchServer) async {
    add(await server.gauges())
    let stores = await server.askAll { ($0.path, await $0.figures()) }
    for (path, figures) in stores { add(figures, of: path) }
  }

  private mutating func add(_ gauges: ServerGauges) {
    text.add(
      .gauge, "historywatch_connections", help: "Clients on the socket.", gauges.connections)
    text.add(
      .gauge, "historywatch_subscriptions", help: "Subscriptions on the socket.",
      gauges.subscriptions)
    text.add(
      .gauge, "historywatch_event_streams", help: "Streams of events over HTTP.", gauges.streams)
    text.add(
      .gauge, "historywatch_queued_bytes", help: "Bytes that wait for clients.",
      gauges.queuedBytes)
    let counts = gauges.counts
    text.add(
      .counter, "historywatch_connections_total", help: "Clients that connected.",
      counts.accepted)
    text.add(
      .counter, "historywatch_refused_connections_total", help: "Clients turned away.",
      counts.refused)
    text.add(
      .counter, "historywatch_errors_total", help: "Requests answered with an error.",
      counts.errors)
    text.add(
      .counter, "historywatch_slow_readers_total", help: "Readers let go for taking nothing.",
      counts.slow)
  }

  private mutating func add(_ figures: StoreFigures, of path: String) {
    let database = HTTPField("database", path)
    text.add(
      .gauge, "historywatch_store_up", help: "Whether the store can be read.",
      labels: [database], figures.report == nil ? 0 : 1)
    if let report = figures.report { add(report, database) }
    text.add(
      .counter, "historywatch_transactions_total", help: "Transactions seen.",
      labels: [database], figures.counts.transactions)
    text.add(
      .counter, "historywatch_changes_total", help: "Changes seen.", labels: [database],
      figures.counts.changes)
    text.add(
      .counter, "historywatch_expiries_total",
      help: "How often positions expired because the store was replaced or restored.",
      labels: [database], figures.counts.expiries)
    for source in figures.wakeUps {
      text.add(
        .counter, "historywatch_wakeups_total", help: "What woke the reader, by source.",
        labels: [database, HTTPField("source", source.name)], source.count)
    }
    text.add(
      .counter, "historywatch_trimmed_rows_total", help: "Rows of history dropped for its limits.",
      labels: [database], figures.trimmedRows)
    for (timeline, counts) in figures.reloads {
      let labels = [database, HTTPField("timeline", timeline)]
      text.add(
        .counter, "historywatch_reloads_total", help: "Reloads that went well.", labels: labels,
        counts.reloads)
      text.add(
        .counter, "historywatch_reload_failures_total", help: "Reloads that failed.",
        labels: labels, counts.failures)
    }
  }

  private mutating func add(_ report: StoreReport, _ database: HTTPField) {
    text.add(
      .gauge, "historywatch_head", help: "The sequence of the newest row of history.",
      labels: [database], report.state.head.sequence)
    text.add(
      .gauge, "historywatch_oldest", help: "The sequence before the oldest row of history.",
      labels: [database], report.state.oldest.sequence)
    text.add(
      .gauge, "historywatch_history_bytes", help: "About how large the history is.",
      labels: [database], report.size.bytes)
    for consumer in report.consumers {
      text.add(
        .gauge, "historywatch_consumer_lag",
        help: "Rows of history that a consumer has not confirmed.",
        labels: [database, HTTPField("consumer", consumer.name)], consumer.lag)
    }
  }
}
