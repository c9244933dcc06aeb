/// Something that says "look again".
///
/// A wake-up carries nothing and promises nothing: there may be something new. So wake-ups may be
/// merged, doubled and late, and whoever gets one looks for itself. Confined to the loop.
public protocol WakeUpSource: AnyObject {
  /// What the source is called in the status.
  var name: String { get }

  /// Whether the source cannot promise to notice, so that somebody has to look from time to time.
  ///
  /// Known once the source was started.
  var isSilent: Bool { get }

  /// Whether its wake-ups come only after the commit is visible, so that one look is enough.
  var speaksAfterCommit: Bool { get }

  /// Begins to call back.
  ///
  /// - Parameter wakeUp: What to call, on the loop.
  func start(_ wakeUp: @escaping () -> Void)

  /// Calls back no more. It may be started again.
  func stop()
}
