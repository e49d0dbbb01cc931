/// The names that no property may have, because `NSManagedObject` and `NSObject` have methods of
/// these names without arguments, which key-value coding would call.
enum ReservedNames {
  static func contains(_ name: String) -> Bool { names.contains(name) }

  private static let names: Set<String> = [
    // NSObject
    "autorelease", "class", "classForArchiver", "classForCoder", "classForKeyedArchiver",
    "classForPortCoder", "className", "copy", "dealloc", "debugDescription", "description",
    "finalize", "hash", "init", "isProxy", "mutableCopy", "observationInfo", "release", "retain",
    "retainCount", "self", "superclass", "zone",
    // NSManagedObject
    "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent",
    "didSave", "didTurnIntoFault", "entity", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated",
    "managedObjectContext", "objectID", "prepareForDeletion", "willSave", "willTurnIntoFault",
  ]
}
