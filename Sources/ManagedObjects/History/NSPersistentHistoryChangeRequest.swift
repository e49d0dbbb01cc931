import DataModels
import Foundation

/// A request that reads or deletes the persistent history of stores that track it.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///   context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
///   lastToken = transaction.token
/// }
/// ```
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest, ExecutableRequest,
  @unchecked Sendable
{
  // Sendable: used in one place at a time, as Core Data requires of requests.

  /// A position in the history, independent of a store.
  private enum Point {
    case token(NSPersistentHistoryToken?)
    case transaction(NSPersistentHistoryTransaction?)
    case date(Date)
  }

  private final var point = Point.token(nil)
  private final var isDeletion = false
  /// The content of the result. Transactions with their changes in a new fetch request, the status in a new delete
  /// request.
  open var resultType = NSPersistentHistoryResultType.transactionsAndChanges
  /// A filter and sort order for the transactions or changes; nil for all. Its entity determines which of the two its
  /// predicate applies to.
  open var fetchRequest: NSFetchRequest<NSFetchRequestResult>?

  /// Creates a request for the whole history; use the class methods for parts of it.
  public required override init() {}

  private static func make(_ point: Point, isDeletion: Bool = false) -> Self {
    let request = Self()
    request.point = point
    request.isDeletion = isDeletion
    if isDeletion { request.resultType = .statusOnly }
    return request
  }

  // MARK: Creating requests

  /// A request for the history after a token; nil for the whole history.
  open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self {
    make(.token(token))
  }

  /// A request for the history after a transaction; nil for the whole history.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
    make(.transaction(transaction))
  }

  /// A request for the history after a date.
  open class func fetchHistory(after date: Date) -> Self {
    make(.date(date))
  }

  /// A request for the transactions or changes that match a fetch request, which is based on
  /// ``NSPersistentHistoryTransaction/fetchRequest`` or ``NSPersistentHistoryChange/fetchRequest``.
  open class func fetchHistory(
    withFetch fetchRequest: NSFetchRequest<NSFetchRequestResult>
  ) -> Self {
    let request = make(.token(nil))
    request.fetchRequest = fetchRequest
    return request
  }

  /// A request to delete the history before a token's last transaction; nil deletes nothing.
  open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
    make(.token(token), isDeletion: true)
  }

  /// A request to delete the history before a transaction; nil deletes nothing.
  open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
    make(.transaction(transaction), isDeletion: true)
  }

  /// A request to delete the history before a date.
  open class func deleteHistory(before date: Date) -> Self {
    make(.date(date), isDeletion: true)
  }

  /// The token that the request was created with.
  public final var token: NSPersistentHistoryToken? {
    switch point {
    case .token(let token): token
    case .transaction(let transaction): transaction?.token
    case .date: nil
    }
  }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self.make(point, isDeletion: isDeletion)
    copy.resultType = resultType
    copy.fetchRequest = fetchRequest
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }

  // MARK: Execution

  package func execute(
    in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    let stores = try (affectedStores ?? coordinator.persistentStores).filter { store in
      try coordinator.locked { try store.historyPosition() } != nil
    }
    if isDeletion { return try delete(from: stores, coordinator) }
    var transactions: [NSPersistentHistoryTransaction] = []
    var start = token?.numbers ?? [:]
    for store in stores {
      let query = HistoryQuery(after: bound(in: store), includesChanges: needsChanges)
      var found = try coordinator.locked {
        let found = try store.requireRequestEngine().history(query)
        // Where a store stood at a date, its transactions since then tell, or that there are none.
        if case .date = point {
          start[store.identifier] =
            try found.first.map { $0.transactionNumber - 1 } ?? store.historyPosition()
        }
        return found
      }
      try filter(&found, store)
      transactions += found
    }
    if stores.count > 1 { transactions = Self.inOrder(transactions, from: start) }
    return NSPersistentHistoryResult(result(windowed(transactions)), resultType)
  }

  /// The transactions of several stores by time, each with a token that says where all of the stores stand. Those of one
  /// store stay in their order.
  private static func inOrder(
    _ transactions: [NSPersistentHistoryTransaction], from start: [String: Int64]
  ) -> [NSPersistentHistoryTransaction] {
    var latest: [String: Date] = [:]
    let times = transactions.map { transaction in
      let time = max(transaction.timestamp, latest[transaction.storeID] ?? .distantPast)
      latest[transaction.storeID] = time
      return time
    }
    var position = start
    return transactions.indices.sorted { (times[$0], $0) < (times[$1], $1) }.map { index in
      let found = transactions[index].after(position)
      position = found.token.numbers
      return found
    }
  }

  private final func bound(in store: NSPersistentStore) -> HistoryQuery.Bound {
    if case .date(let date) = point { return .date(date) }
    return token?.numbers[store.identifier].map { .number($0) } ?? .beginning
  }

  private final func delete(
    from stores: [NSPersistentStore], _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    var count = 0
    // What is only read stays as it is, and keeps nothing else from being deleted.
    let writable = stores.filter { !$0.isReadOnly }
    for store in affectedStores == nil && !writable.isEmpty ? writable : stores {
      count += try coordinator.locked {
        let engine = try store.requireRequestEngine()
        let bound = bound(in: store)
        guard fetchRequest?.predicate != nil else { return try engine.deleteHistory(before: bound) }
        return try engine.deleteHistory(ofTransactions: matching(before: bound, in: store, engine))
      }
    }
    return NSPersistentHistoryResult(resultType == .count ? count : true, resultType)
  }

  /// The numbers of a store's transactions before a bound that match the fetch request. If that is for changes, all of a
  /// transaction's must match.
  private final func matching(
    before bound: HistoryQuery.Bound, in store: NSPersistentStore, _ engine: any RequestEngine
  ) throws -> [Int64] {
    let query = HistoryQuery(after: .beginning, includesChanges: isAboutChanges)
    var found = try engine.history(query).filter { transaction in
      switch bound {
      case .beginning: false
      case .number(let number): transaction.transactionNumber < number
      case .date(let date): transaction.timestamp < date
      }
    }
    let counts = found.reduce(into: [:]) { $0[$1.transactionNumber] = $1.changes?.count ?? 0 }
    try filter(&found, store)
    return found.filter { !isAboutChanges || $0.changes?.count == counts[$0.transactionNumber] }
      .map(\.transactionNumber)
  }

  // MARK: Results

  private final var isAboutChanges: Bool {
    (fetchRequest?.entityName).map { $0 == HistoryEntities.change.name } ?? false
  }

  private final var needsChanges: Bool {
    isAboutChanges || [.objectIDs, .changesOnly, .transactionsAndChanges].contains(resultType)
  }

  private final func filter(
    _ transactions: inout [NSPersistentHistoryTransaction], _ store: NSPersistentStore
  ) throws {
    guard let predicate = fetchRequest?.predicate else { return }
    let resolved = HistoryEntities.resolvingTokens(predicate, in: store.identifier)
    // As rows of a store: what has no author isn't known to have another one.
    let program = resolved.program(.sqliteStore)
    func isSatisfied(by record: Any) throws -> Bool {
      do { return try program.evaluate(with: record) } catch {
        throw CoreDataError.unanswerable(error, predicate.canonicalFormat)
      }
    }
    guard isAboutChanges else {
      transactions = try transactions.filter(isSatisfied)
      return
    }
    transactions = try transactions.compactMap { transaction in
      let changes = try (transaction.changes ?? []).filter(isSatisfied)
      return changes.isEmpty ? nil : transaction.with(changes)
    }
  }

  private final func windowed(
    _ transactions: [NSPersistentHistoryTransaction]
  ) -> [NSPersistentHistoryTransaction] {
    guard let request = fetchRequest, !isAboutChanges else { return transactions }
    return Self.window(transactions, request)
  }

  private final func result(_ transactions: [NSPersistentHistoryTransaction]) -> Any {
    func changes() -> [NSPersistentHistoryChange] {
      let all = transactions.flatMap { $0.changes ?? [] }
      guard let request = fetchRequest, isAboutChanges else { return all }
      return Self.window(all, request)
    }
    switch resultType {
    case .statusOnly: return true
    case .count: return transactions.count
    case .transactionsOnly: return transactions.map { $0.with(nil) }
    case .transactionsAndChanges: return transactions
    case .changesOnly: return changes()
    case .objectIDs:
      var seen: Set<NSManagedObjectID> = []
      return changes().map(\.changedObjectID).filter { seen.insert($0).inserted }
    }
  }

  private static func window<Element>(
    _ list: [Element], _ request: AnyFetchRequest
  ) -> [Element] {
    let list = ObjectOrder(request.sortDescriptors ?? []).sorted(list)
    let rest = list.dropFirst(max(0, request.fetchOffset))
    return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
  }
}
