import CLibUV

/// What the operating system calls itself.
package struct SystemName: Sendable {
  /// Its name, such as `Linux`.
  package let name: String
  /// Its release.
  package let release: String
  /// The kind of machine.
  package let machine: String

  /// Asks the system, without the name of the computer.
  ///
  /// The corresponding libuv function is `uv_os_uname`, see
  /// <https://docs.libuv.org/en/v1.x/misc.html#c.uv_os_uname>.
  package init() {
    var found = uv_utsname_t()
    guard uv_os_uname(&found) == 0 else {
      (name, release, machine) = ("unknown", "unknown", "unknown")
      return
    }
    name = Self.text(&found.sysname)
    release = Self.text(&found.release)
    machine = Self.text(&found.machine)
  }

  private static func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
