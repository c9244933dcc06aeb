/// A generator of the same numbers for the same seed, everywhere, so that a failure can be had again.
///
/// SplitMix64; see <https://prng.di.unimi.it/splitmix64.c>.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator.
  ///
  /// - Parameter seed: What the numbers follow from.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  ///
  /// - Returns: Any number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
