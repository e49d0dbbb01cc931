import DataModels
import Foundation

/// A change of one object in a transaction of persistent history.
public final class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: immutable.

  /// The change's number.
  public let changeID: Int64
  /// The changed object.
  public let changedObjectID: NSManagedObjectID
  /// The kind of change.
  public let changeType: NSPersistentHistoryChangeType
  /// For a deletion, the values that the model preserves as a tombstone, by name; nil if there are none.
  public let tombstone: [AnyHashable: Any]?
  /// The transaction, without its changes.
  public let transaction: NSPersistentHistoryTransaction?
  /// For an update, the properties that were changed.
  public let updatedProperties: Set<NSPropertyDescription>?

  /// Makes a change that an engine remembers.
  @_spi(Engines) public init(
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

  /// Returns the change itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override var description: String {
    "<NSPersistentHistoryChange: \(changeID) \(changedObjectID) \(changeType)"
      + (updatedProperties.map { " (\($0.map(\.name).sorted().joined(separator: ", ")))" } ?? "")
      + ">"
  }

  // MARK: Fetching changes

  /// The entity that defines the keys for predicates over changes.
  public static var entityDescription: NSEntityDescription? { HistoryEntities.change }

  /// The entity that defines the keys for predicates over changes.
  public static func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }

  /// A new fetch request for changes. Set its predicate and pass it to
  /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
  public static var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntities.request(HistoryEntities.change)
  }
}

/// The kind of a change in persistent history.
public enum NSPersistentHistoryChangeType: Int, Sendable, CaseIterable {
  /// The object was inserted.
  case insert = 0
  /// The object was updated.
  case update = 1
  /// The object was deleted.
  case delete = 2
}
