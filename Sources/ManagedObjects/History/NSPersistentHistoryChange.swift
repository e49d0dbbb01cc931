import DataModels
import Foundation

/// One object's change in a transaction of persistent history.
public final class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: never changed once it is made.

  /// The change's number.
  public let changeID: Int64
  /// The object.
  public let changedObjectID: NSManagedObjectID
  /// What was done to it.
  public let changeType: NSPersistentHistoryChangeType
  /// For a deletion, the values that the model says are to be kept, by name; nil without any.
  public let tombstone: [AnyHashable: Any]?
  /// The transaction, without its changes.
  public let transaction: NSPersistentHistoryTransaction?
  /// For an update, the properties that were written.
  public let updatedProperties: Set<NSPropertyDescription>?

  init(
    id: Int64, type: NSPersistentHistoryChangeType, object: NSManagedObjectID,
    updated: Set<NSPropertyDescription>? = nil, tombstone: [AnyHashable: Any]? = nil,
    transaction: NSPersistentHistoryTransaction
  ) {
    changeID = id
    changeType = type
    changedObjectID = object
    updatedProperties = updated
    self.tombstone = tombstone
    self.transaction = transaction
  }

  /// Itself: a change never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override var description: String {
    "<NSPersistentHistoryChange: \(changeID) \(changedObjectID) \(changeType)"
      + (updatedProperties.map { " (\($0.map(\.name).sorted().joined(separator: ", ")))" } ?? "")
      + ">"
  }

  // MARK: Asking for changes

  /// What predicates over changes can name.
  public static var entityDescription: NSEntityDescription? { HistoryEntities.change }

  /// What predicates over changes can name.
  public static func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }

  /// A new request for changes, to be given a predicate and to
  /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
  public static var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntities.request(HistoryEntities.change)
  }
}

/// What a change of persistent history did to an object.
public enum NSPersistentHistoryChangeType: Int, Sendable, CaseIterable {
  /// The object was inserted.
  case insert = 0
  /// The object was updated.
  case update = 1
  /// The object was deleted.
  case delete = 2
}
