import DataModels

extension NSManagedObject {
  /// What a fetched property gave, and how often its user info had been set, which its predicate may
  /// ask for.
  struct Fetched {
    let userInfoChanges: Int
    let objects: [NSManagedObject]
  }

  /// What few objects have.
  final class Scratch {
    var fetched: [String: Fetched] = [:]
    var eventValues: [StoredValue]?
    /// The sets that ordered relationships were changed through in the present event, by slot.
    var orderedSets: [Int: ManagedMutableOrderedSet] = [:]
    var valuesBeforeChange: [String: Any?] = [:]
    var assignedStore: NSPersistentStore?
    /// The destinations of to-one relationships, by slot, while no context knows the object.
    var unattached: [Int: NSManagedObject] = [:]
    /// The to-many relationships at the beginning of the present event, by slot, for undo.
    var membersBeforeEvent: [Int: ToManyMembers.Contents] = [:]
  }
}
