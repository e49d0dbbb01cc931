/// What a batch delete tells of what it did.
public enum NSBatchDeleteRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether it was done: a `Bool`.
  case resultTypeStatusOnly = 0
  /// Which objects were deleted: an array of ``NSManagedObjectID``.
  case resultTypeObjectIDs = 1
  /// How many objects were deleted: an `Int`.
  case resultTypeCount = 2
}
