private import Glibc

/// Memory that was given back, which nobody may use any more.
public enum FreedMemory {
  /// Fills memory with rubbish from now on whenever it is given back, so that whoever uses it all the
  /// same does not find what was there; in this process, where the system can do that.
  public static func spoil() {
    // The module of the C library leaves <malloc.h> out.
    guard let address = dlsym(nil, "mallopt") else { return }
    typealias Option = @convention(c) (CInt, CInt) -> CInt
    let perturb: CInt = -6
    _ = unsafeBitCast(address, to: Option.self)(perturb, 0xA5)
  }
}
