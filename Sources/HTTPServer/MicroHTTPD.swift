import CMicroHTTPD

/// libmicrohttpd, loaded when it is first used and never unloaded.
///
/// It brings a library for TLS that is not used here, and whose start takes a millisecond and a half
/// and three megabytes. Who does not serve HTTP, which is nearly every run of the program, does not
/// pay that.
enum MicroHTTPD {
  #if os(Linux)
    private static let path = "libmicrohttpd.so.12"
  #else
    private static let path = "libmicrohttpd.12.dylib"
  #endif

  /// Its functions, or nil if it is not installed.
  nonisolated(unsafe) static let library: UnsafePointer<cmicrohttpd_library>? = {
    // Written once, before anybody has it.
    let library = UnsafeMutablePointer<cmicrohttpd_library>.allocate(capacity: 1)
    return cmicrohttpd_load(library, path) != 0 ? UnsafePointer(library) : nil
  }()
}
