#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A socket that listens, for a library that takes its connections itself.
///
/// ``SocketListener`` is for everybody else. It is closed exactly once.
package final class ListeningSocket {
  /// Where it listens, with the port that the system chose if it was to choose one.
  package let address: SocketAddress
  /// The socket, which never blocks.
  package let descriptor: CInt
  /// Whether somebody else has it too, for whom it must go on to listen.
  private let isShared: Bool
  private var isOpen = true

  /// Begins to listen.
  ///
  /// - Parameter address: Where; an address of the Internet, not a path.
  /// - Throws: ``SocketListener/Refusal``.
  package init(_ address: SocketAddress) throws(SocketListener.Refusal) {
    guard case .internet = address, let storage = address.storage else {
      throw .failed(LoopError("bind", number: EAFNOSUPPORT))
    }
    do throws(LoopError) {
      descriptor = try StreamSocket.make(storage.family)
    } catch { throw .failed(error) }
    isShared = false
    do throws(SocketListener.Refusal) {
      try SocketListener.listen(descriptor, at: storage)
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
    self.address = (try? SocketAddress(of: descriptor)) ?? address
  }

  /// Takes over a socket that the service manager made, which stays where it is afterwards.
  ///
  /// - Parameter inherited: The socket; it must not be used otherwise from now on.
  /// - Throws: ``SocketListener/Refusal``, with `notListening` for any other kind of descriptor.
  package init(taking inherited: InheritedSocket) throws(SocketListener.Refusal) {
    descriptor = inherited.descriptor
    isShared = true
    guard StreamSocket.option(SO_TYPE, of: descriptor) == StreamSocket.kind,
      StreamSocket.option(SO_ACCEPTCONN, of: descriptor) == 1
    else { throw .notListening }
    do throws(LoopError) {
      address = try SocketAddress(of: descriptor)
    } catch { throw .failed(error) }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit { close() }

  /// Closes the socket; nobody may use the descriptor any more.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    // A child that was forked a moment ago has a copy until it execs, and would go on to listen.
    if !isShared { shutdown(descriptor, CInt(SHUT_RDWR)) }
    closeDescriptor(descriptor)
  }
}
