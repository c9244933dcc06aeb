package import HistoryModel

extension HistoryError {
  /// Why a position that was usable once is so no more; nil where that is not what failed.
  ///
  /// A position of the store that was there before is a foreign one now.
  package var lossReason: ExpiryReason? {
    expiryReason ?? (code == .foreignToken ? .storeReplaced : nil)
  }
}
