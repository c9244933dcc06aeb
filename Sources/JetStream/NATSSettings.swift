#if NATS
  private import CNATS
  import HistoryModel
  import HistorySync

  /// The library's options of a connection.
  final class NATSSettings {
    let handle: OpaquePointer

    init(_ options: JetStreamOptions) throws(RelayFailure) {
      var made: OpaquePointer?
      guard natsOptions_Create(&made) == NATS_OK, let made else {
        throw .lost(.noThread("out of memory"))
      }
      handle = made
      natsOptions_SetName(handle, "historywatch")
      // Whoever has a connection that broke looks where he stands before he goes on.
      natsOptions_SetAllowReconnect(handle, false)
      natsOptions_SetTimeout(handle, 2000)
      // A server that is gone without a word is noticed within some seconds.
      natsOptions_SetPingInterval(handle, 5000)
      natsOptions_SetMaxPingsOut(handle, 2)
      natsOptions_SetWriteDeadline(handle, 10_000)
      natsOptions_SetSendAsap(handle, true)
      if options.address.isSecure { natsOptions_SetSecure(handle, true) }
      let list = options.address.servers.joined(separator: ",")
      guard cnats_set_servers(handle, list) == NATS_OK else {
        throw .failed(.unreachable(options.address.hosts, "it is no address of a server"))
      }
      if let path = options.credentials,
        natsOptions_SetUserCredentialsFromFiles(handle, path, nil) != NATS_OK
      {
        throw .failed(.badCredentials(path))
      }
    }

    deinit { natsOptions_Destroy(handle) }
  }
#endif
