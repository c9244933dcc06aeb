import CLibUV

/// A socket of our own, and the watch on it; they are closed together, exactly once.
///
/// Nobody else has its open file description, or everyone who has expects it to be non-blocking,
/// so that libuv may poll it directly. Confined to the loop, except that the last reference may be
/// dropped anywhere.
final class LoopSocket {
  /// What a socket can be ready for.
  struct Readiness: OptionSet {
    let rawValue: CInt
    static let readable = Readiness(rawValue: CInt(UV_READABLE.rawValue))
    static let writable = Readiness(rawValue: CInt(UV_WRITABLE.rawValue))
  }

  let executor: LoopExecutor
  let descriptor: CInt
  /// What is called when it is ready for something that is awaited.
  var onReady: ((Readiness) -> Void)?
  private(set) var isOpen = true
  private var awaited: Readiness = []
  private let handle: LoopHandle

  /// Takes over a descriptor, also when it throws.
  init(_ descriptor: CInt, on executor: LoopExecutor) throws(LoopError) {
    do throws(LoopError) {
      handle = try LoopHandle(
        UV_POLL, as: uv_poll_t.self, on: executor, "uv_poll_init"
      ) { uv_poll_init($0, $1, descriptor) }
    } catch {
      closeDescriptor(descriptor)
      throw error
    }
    self.executor = executor
    self.descriptor = descriptor
    handle.belong(to: self)
  }

  deinit { close() }

  /// Awaits something besides what is awaited already.
  func wait(for more: Readiness) { change(awaited.union(more)) }

  /// Awaits something no longer.
  func forget(_ less: Readiness) { change(awaited.subtracting(less)) }

  private func change(_ wanted: Readiness) {
    guard isOpen, wanted != awaited else { return }
    awaited = wanted
    handle.with(uv_poll_t.self) { watch in
      guard wanted != [] else { return uv_poll_stop(watch) }
      return uv_poll_start(watch, wanted.rawValue) { raw, status, events in
        LoopHandle.owner(of: raw, as: LoopSocket.self)?.became(status, events)
      }
    }
  }

  private func became(_ status: CInt, _ events: CInt) {
    var readiness = Readiness(rawValue: events)
    if status < 0 {
      // libuv has stopped watching a socket with an error; whoever reads or writes will meet it.
      readiness = awaited
      awaited = []
    }
    onReady?(readiness)
  }

  /// Closes both; nothing is called after this.
  func close() {
    guard isOpen else { return }
    isOpen = false
    onReady = nil
    handle.close(watching: descriptor)
  }
}
