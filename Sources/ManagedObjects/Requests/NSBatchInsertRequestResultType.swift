/// What a batch insert tells of what it did.
public enum NSBatchInsertRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether it was done: a `Bool`.
  case statusOnly = 0
  /// Which objects were inserted: an array of ``NSManagedObjectID``.
  case objectIDs = 1
  /// How many objects were inserted: an `Int`.
  case count = 2
}
