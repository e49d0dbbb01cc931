import DataModels
import Foundation

/// A change of one object in a transaction of persistent history.
///
/// ```swift
/// for change in transaction.changes ?? [] {
///   switch change.changeType {
///   case .insert: print("new", change.changedObjectID)
///   case .update: print("changed", change.updatedProperties?.map(\.name) ?? [])
///   case .delete: print("deleted", change.tombstone?["name"] ?? "")
///   }
/// }
/// ```
open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: immutable.

  private let record: Record?

  /// The change's number.
  open var changeID: Int64 { record?.id ?? 0 }
  /// The changed object.
  open var changedObjectID: NSManagedObjectID { record?.object ?? NSManagedObjectID() }
  /// The kind of change.
  open var changeType: NSPersistentHistoryChangeType { record?.type ?? .insert }
  /// For a deletion, the values that the model preserves as a tombstone, by name; nil if there are none.
  open var tombstone: [AnyHashable: Any]? { record?.tombstone }
  /// The transaction, without its changes.
  open var transaction: NSPersistentHistoryTransaction? { record?.transaction }
  /// For an update, the properties that were changed.
  open var updatedProperties: Set<NSPropertyDescription>? { record?.updated }

  /// What a store remembers of a change.
  private struct Record {
    var id: Int64
    var type: NSPersistentHistoryChangeType
    var object: NSManagedObjectID
    var updated: Set<NSPropertyDescription>?
    var tombstone: [AnyHashable: Any]?
    var transaction: NSPersistentHistoryTransaction
  }

  /// Creates a change of nothing, for test doubles.
  public override init() { record = nil }

  /// Makes a change that an engine remembers.
  @_spi(Engines) public init(
    id: Int64, type: NSPersistentHistoryChangeType, object: NSManagedObjectID,
    updated: Set<NSPropertyDescription>? = nil, tombstone: [AnyHashable: Any]? = nil,
    transaction: NSPersistentHistoryTransaction
  ) {
    record = Record(
      id: id, type: type, object: object, updated: updated, tombstone: tombstone,
      transaction: transaction)
  }

  /// Returns the change itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<NSPersistentHistoryChange: \(changeID) \(changedObjectID) \(changeType)"
      + (updatedProperties.map { " (\($0.map(\.name).sorted().joined(separator: ", ")))" } ?? "")
      + ">"
  }

  // MARK: Fetching changes

  /// The entity that defines the keys for predicates over changes.
  open class var entityDescription: NSEntityDescription? { HistoryEntities.change }

  /// The entity that defines the keys for predicates over changes.
  open class func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }

  /// A new fetch request for changes. Set its predicate and pass it to
  /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
  open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
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
