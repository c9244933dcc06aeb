#if NATS
  private import CNATS

  /// A message that came, copied out of the library's memory.
  struct NATSMessage: Sendable {
    var subject: String
    var reply: String
    /// The fields that are asked for, by their names.
    var fields: [String: String] = [:]
    var body: [UInt8]

    /// What a message without a body tells, such as 408 for a time that has passed.
    var status: String? { fields["Status"] }

    /// Copies a message.
    ///
    /// - Parameters:
    ///   - message: The library's.
    ///   - names: The fields that are wanted.
    init(copying message: OpaquePointer, fields names: [String]) {
      subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
      reply = natsMsg_GetReply(message).map { String(cString: $0) } ?? ""
      let count = Int(natsMsg_GetDataLength(message))
      if count > 0, let data = natsMsg_GetData(message) {
        body = data.withMemoryRebound(to: UInt8.self, capacity: count) {
          Array(UnsafeBufferPointer(start: $0, count: count))
        }
      } else {
        body = []
      }
      for name in names {
        var value: UnsafePointer<CChar>?
        if natsMsgHeader_Get(message, name, &value) == NATS_OK, let value {
          fields[name] = String(cString: value)
        }
      }
    }
  }
#endif
