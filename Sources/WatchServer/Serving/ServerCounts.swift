/// What a server has done since it began.
package struct ServerCounts: Sendable {
  /// How many connected.
  package var accepted = 0
  /// How many were turned away.
  package var refused = 0
  /// How many requests were answered with an error.
  package var errors = 0
  /// How many readers were told that they are too slow.
  package var slow = 0
}

/// What a server is doing at one moment.
package struct ServerGauges: Sendable {
  /// What it has done.
  package var counts: ServerCounts
  /// How many are connected.
  package var connections = 0
  /// How many subscriptions they have.
  package var subscriptions = 0
  /// How many streams of events they have over HTTP.
  package var streams = 0
  /// How many bytes wait for them.
  package var queuedBytes = 0
}
