/// The kinds of requests to a store.
public enum NSPersistentStoreRequestType: UInt, Sendable, CaseIterable {
  /// Objects, their identities, dictionaries or a count are asked for.
  case fetchRequestType = 1
  /// Changes are written.
  case saveRequestType = 2
  /// Rows are inserted without objects.
  case batchInsertRequestType = 5
  /// Rows are changed without objects.
  case batchUpdateRequestType = 6
  /// Rows are deleted without objects.
  case batchDeleteRequestType = 7
}
