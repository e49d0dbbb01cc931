/// What a batch update tells of what it did.
public enum NSBatchUpdateRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether it was done: a `Bool`.
  case statusOnlyResultType = 0
  /// Which objects were updated: an array of ``NSManagedObjectID``.
  case updatedObjectIDsResultType = 1
  /// How many objects were updated: an `Int`.
  case updatedObjectsCountResultType = 2
}
