/// What a save has written.
struct WrittenChanges {
  let changes: PendingChanges
  /// Whether that is all there was to save; if not, some stores failed after others had committed.
  let isWhole: Bool
  /// The end of the stores' persistent history right after; nil if they keep none.
  let historyToken: NSPersistentHistoryToken?

  init(
    _ changes: PendingChanges, isWhole: Bool = true, historyToken: NSPersistentHistoryToken? = nil
  ) {
    (self.changes, self.isWhole, self.historyToken) = (changes, isWhole, historyToken)
  }
}
