/// What a change of persistent history did to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable, CaseIterable {
  /// The object was inserted.
  case insert = 0
  /// The object was updated.
  case update = 1
  /// The object was deleted.
  case delete = 2
}
