import DataModels
import Foundation

/// One save, as the store's persistent history remembers it.
public final class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: never changed once it is made.

  /// When it was.
  public let timestamp: Date
  /// What was changed; nil when it wasn't asked for.
  public let changes: [NSPersistentHistoryChange]?
  /// The transaction's number, which grows by 1.
  public let transactionNumber: Int64
  /// The store's UUID.
  public let storeID: String
  /// The bundle identifier of the program that saved; empty when it had none.
  public let bundleID: String
  /// The name of the program's process.
  public let processID: String
  /// The name of the context that saved.
  public let contextName: String?
  /// Who saved: the context's `transactionAuthor`.
  public let author: String?

  init(
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
  func with(_ changes: [NSPersistentHistoryChange]?) -> NSPersistentHistoryTransaction {
    NSPersistentHistoryTransaction(
      number: transactionNumber, timestamp: timestamp, storeID: storeID, bundleID: bundleID,
      processID: processID, contextName: contextName, author: author, changes: changes)
  }

  /// The bookmark after the transaction.
  public var token: NSPersistentHistoryToken {
    NSPersistentHistoryToken([storeID: transactionNumber])
  }

  /// The transaction as a notification that
  /// ``NSManagedObjectContext/mergeChanges(fromContextDidSave:)`` takes.
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

  /// Itself: a transaction never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override var description: String {
    "<NSPersistentHistoryTransaction: \(transactionNumber) \(timestamp) \(bundleID) \(processID) "
      + "context: \(contextName ?? "nil") author: \(author ?? "nil") "
      + "changes: \(changes.map { "\($0.count)" } ?? "not fetched")>"
  }

  // MARK: Asking for transactions

  /// What predicates over transactions can name.
  public static var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

  /// What predicates over transactions can name.
  public static func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }

  /// A new request for transactions, to be given a predicate and to
  /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
  public static var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntities.request(HistoryEntities.transaction)
  }
}
