/// Names that no property may have, because `NSManagedObject` or `NSObject` has a method or property
/// of that name, which key-value coding would find first.
package enum ReservedNames {
  /// Whether a property may not have this name.
  package static func contains(_ name: String) -> Bool {
    names.contains(name)
  }

  private static let names: Set<String> = [
    // NSObject
    "autorelease", "class", "classForArchiver", "classForCoder", "classForKeyedArchiver",
    "classForPortCoder", "className", "copy", "dealloc", "debugDescription", "description",
    "finalize", "hash", "init", "isProxy", "mutableCopy", "observationInfo", "release", "retain",
    "retainCount", "self", "superclass", "zone",
    // NSManagedObject, under both names of a property that has a getter of its own
    "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent",
    "deleted", "didSave", "didTurnIntoFault", "entity", "fault", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "inserted", "isDeleted", "isFault", "isInserted", "isUpdated",
    "managedObjectContext", "objectID", "prepareForDeletion", "updated", "willSave",
    "willTurnIntoFault",
  ]
}
