import DataModels
import Foundation

extension NSManagedObject {
  /// The result of a fetched property, and the change count of its user info, which its predicate may refer to.
  struct Fetched {
    let userInfoChanges: Int
    let objects: [NSManagedObject]
  }

  /// Rarely needed state.
  final class Scratch {
    var fetched: [String: Fetched] = [:]
    var eventValues: [StoredValue]?
    /// The values at the beginning of the last event.
    var toldValues: [StoredValue]?
    /// The sets through which ordered relationships were changed in the current event, by slot.
    var orderedSets: [Int: ManagedMutableOrderedSet] = [:]
    var valuesBeforeChange: [String: Any?] = [:]
    /// The mutable primitive values of to-many relationships that are being changed, by key.
    var primitiveMembers: [String: NSObject] = [:]
    var assignedStore: NSPersistentStore?
    /// The destinations of to-one relationships, by slot, while the object has no context.
    var unattached: [Int: NSManagedObject] = [:]
    /// Whether to-many relationships record additions and removals in the current event, for undo.
    var remembersMembers = false
  }
}
