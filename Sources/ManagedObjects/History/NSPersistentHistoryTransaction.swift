import DataModels
import Foundation

/// A transaction of persistent history: one save.
///
/// ```swift
/// if let imports = NSPersistentHistoryTransaction.fetchRequest {
///   imports.predicate = NSPredicate(format: "author == %@", "import")
///   let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: imports)
///   let result = try context.execute(request) as? NSPersistentHistoryResult
///   for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///     print(transaction.timestamp, transaction.changes?.count ?? 0)
///   }
/// }
/// ```
open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: immutable.

  private let record: Record

  /// The time of the save.
  open var timestamp: Date { record.timestamp }
  /// The changes; nil if they weren't requested.
  open var changes: [NSPersistentHistoryChange]? { record.changes }
  /// The transaction's number, which increases by 1.
  open var transactionNumber: Int64 { record.number }
  /// The store's UUID.
  open var storeID: String { record.storeID }
  /// The bundle identifier of the program that saved; empty if it had none.
  open var bundleID: String { record.bundleID }
  /// The name of the program's process.
  open var processID: String { record.processID }
  /// The name of the context that saved.
  open var contextName: String? { record.contextName }
  /// The author of the save: the context's `transactionAuthor`.
  open var author: String? { record.author }

  /// What a store remembers of a transaction.
  private struct Record {
    var number: Int64 = 0
    var timestamp = Date(timeIntervalSinceReferenceDate: 0)
    var storeID = ""
    var bundleID = ""
    var processID = ""
    var contextName: String?
    var author: String?
    var changes: [NSPersistentHistoryChange]?
    /// The numbers of the last transactions of other stores that a request has found before.
    var others: [String: Int64] = [:]
  }

  /// Creates a transaction of nothing, for test doubles.
  public override init() { record = Record() }

  /// Makes a transaction that an engine remembers.
  @_spi(Engines) public init(
    number: Int64, timestamp: Date, storeID: String, bundleID: String?, processID: String?,
    contextName: String?, author: String?, changes: [NSPersistentHistoryChange]? = nil
  ) {
    record = Record(
      number: number, timestamp: timestamp, storeID: storeID, bundleID: bundleID ?? "",
      processID: processID ?? "", contextName: contextName, author: author, changes: changes)
  }

  /// The same transaction with other changes, or without any.
  @_spi(Engines) public final func with(
    _ changes: [NSPersistentHistoryChange]?
  ) -> NSPersistentHistoryTransaction {
    var copy = record
    copy.changes = changes
    return NSPersistentHistoryTransaction(copy)
  }

  /// The same transaction, found after others.
  ///
  /// - Parameter others: the numbers of the last transactions found before, by store UUID.
  final func after(_ others: [String: Int64]) -> NSPersistentHistoryTransaction {
    var copy = record
    copy.others = others
    return NSPersistentHistoryTransaction(copy)
  }

  private init(_ record: Record) { self.record = record }

  /// The bookmark after this transaction and, of several stores, after all that the same request has found before it.
  open var token: NSPersistentHistoryToken {
    NSPersistentHistoryToken(
      record.others.merging([storeID: transactionNumber]) { max($0, $1) })
  }

  /// The transaction as a notification for ``NSManagedObjectContext/mergeChanges(fromContextDidSave:)``.
  open func objectIDNotification() -> Notification {
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
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<NSPersistentHistoryTransaction: \(transactionNumber) \(timestamp) \(bundleID) \(processID) "
      + "context: \(contextName ?? "nil") author: \(author ?? "nil") "
      + "changes: \(changes.map { "\($0.count)" } ?? "not fetched")>"
  }

  // MARK: Fetching transactions

  /// The entity that defines the keys for predicates over transactions.
  open class var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

  /// The entity that defines the keys for predicates over transactions.
  open class func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { entityDescription }

  /// A new fetch request for transactions. Set its predicate and pass it to
  /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
  open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntities.request(HistoryEntities.transaction)
  }
}
