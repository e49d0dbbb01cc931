import DataModels
import Foundation

/// A transaction of persistent history: one save.
public final class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: immutable.

  /// The time of the save.
  public let timestamp: Date
  /// The changes; nil if they weren't requested.
  public let changes: [NSPersistentHistoryChange]?
  /// The transaction's number, which increases by 1.
  public let transactionNumber: Int64
  /// The store's UUID.
  public let storeID: String
  /// The bundle identifier of the program that saved; empty if it had none.
  public let bundleID: String
  /// The name of the program's process.
  public let processID: String
  /// The name of the context that saved.
  public let contextName: String?
  /// The author of the save: the context's `transactionAuthor`.
  public let author: String?

  /// Makes a transaction that an engine remembers.
  @_spi(Engines) public init(
    number: Int64, timestamp: Date, storeID: String, bundleID: String?, processID: String?,
    contextName: String?, author: String?, changes: [NSPersistentHistoryChange]? = nil
  ) {
    transactionNumber = number
    self.timestamp = timestamp
    self.storeID = storeID
    self.bundleID = bundleID ?? ""
    self.processID = processID ?? ""
    self.contextName = contextName
    self.author = author
    self.changes = changes
  }

  /// The same transaction with other changes, or without any.
  @_spi(Engines) public func with(
    _ changes: [NSPersistentHistoryChange]?
  ) -> NSPersistentHistoryTransaction {
    NSPersistentHistoryTransaction(
      number: transactionNumber, timestamp: timestamp, storeID: storeID, bundleID: bundleID,
      processID: processID, contextName: contextName, author: author, changes: changes)
  }

  /// The bookmark after this transaction.
  public var token: NSPersistentHistoryToken {
    NSPersistentHistoryToken([storeID: transactionNumber])
  }

  /// The transaction as a notification for ``NSManagedObjectContext/mergeChanges(fromContextDidSave:)``.
  public func objectIDNotification() -> Notification {
    var userInfo: [AnyHashable: Any] = [:]
    for (type, key) in [
      (NSPersistentHistoryChangeType.insert, NSInsertedObjectIDsKey),
      (.update, NSUpdatedObjectIDsKey), (.delete, NSDeletedObjectIDsKey),
    ] {
      let ids = (changes ?? []).filter { $0.changeType == type }.map(\.changedObjectID)
      if !ids.isEmpty { userInfo[key] = NSSet(array: ids) }
    }
    return Notification(name: SavedIdentities.name, object: nil, userInfo: userInfo)
  }

  /// Returns the transaction itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override var description: String {
    "<NSPersistentHistoryTransaction: \(transactionNumber) \(timestamp) \(bundleID) \(processID) "
      + "context: \(contextName ?? "nil") author: \(author ?? "nil") "
      + "changes: \(changes.map { "\($0.count)" } ?? "not fetched")>"
  }

  // MARK: Fetching transactions

  /// The entity that defines the keys for predicates over transactions.
  public static var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

  /// The entity that defines the keys for predicates over transactions.
  public static func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }

  /// A new fetch request for transactions. Set its predicate and pass it to
  /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
  public static var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntities.request(HistoryEntities.transaction)
  }
}
