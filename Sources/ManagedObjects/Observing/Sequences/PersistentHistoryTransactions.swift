import Foundation

/// An asynchronous sequence of the transactions of stores that track persistent history; see
/// ``NSPersistentStoreCoordinator/history(after:)``.
///
/// ```swift
/// for try await transaction in coordinator.history(after: lastToken) {
///   print(transaction.author ?? "", transaction.changes?.count ?? 0)
/// }
/// ```
public struct PersistentHistoryTransactions: AsyncSequence, Sendable {
  /// The transactions.
  public typealias Element = NSPersistentHistoryTransaction

  let coordinator: NSPersistentStoreCoordinator
  let token: NSPersistentHistoryToken?

  /// Starts observing.
  public func makeAsyncIterator() -> Iterator { Iterator(coordinator, token) }

  /// The iterator. It observes the stores as long as it exists.
  public struct Iterator: AsyncIteratorProtocol {
    private let observers = NotificationObservers()
    private let context: NSManagedObjectContext
    private var reader: Mailbox<Bool>.Reader
    private var token: NSPersistentHistoryToken?
    /// Transactions that were read but not delivered yet, in reverse order.
    private var waiting: [NSPersistentHistoryTransaction] = []

    init(_ coordinator: NSPersistentStoreCoordinator, _ token: NSPersistentHistoryToken?) {
      self.token = token
      context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let mailbox = Mailbox<Bool>()
      reader = mailbox.makeReader()
      // Start with the existing history.
      mailbox.put { $0 = true }
      observers.add(.NSPersistentStoreRemoteChange, from: coordinator) { _ in
        mailbox.put { $0 = true }
      }
      observers.add(.NSManagedObjectContextDidSave, from: nil) { [weak coordinator] notification in
        let context = notification.object as? NSManagedObjectContext
        guard let coordinator, context?.persistentStoreCoordinator === coordinator else { return }
        mailbox.put { $0 = true }
      }
    }

    /// The next transaction; suspends until there is one. Nil once the task is cancelled.
    ///
    /// - Throws: errors when reading the history.
    public mutating func next() async throws -> NSPersistentHistoryTransaction? {
      while waiting.isEmpty {
        guard await reader.next() != nil else { return nil }
        let (context, token) = (context, token)
        waiting = try await context.perform {
          let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
          let result = try context.execute(request) as? NSPersistentHistoryResult
          return (result?.result as? [NSPersistentHistoryTransaction] ?? []).reversed()
        }
      }
      guard !Task.isCancelled, let transaction = waiting.popLast() else { return nil }
      token = (token ?? NSPersistentHistoryToken([:])).advanced(by: transaction.token)
      return transaction
    }
  }
}

extension NSPersistentHistoryToken {
  /// The later of both bookmarks, per store.
  fileprivate func advanced(by other: NSPersistentHistoryToken) -> NSPersistentHistoryToken {
    NSPersistentHistoryToken(numbers.merging(other.numbers, uniquingKeysWith: max))
  }
}

extension NSPersistentStoreCoordinator {
  /// The persistent history of the stores: the existing transactions, then each new one.
  ///
  /// ```swift
  /// for try await transaction in container.persistentStoreCoordinator.history(after: lastToken) {
  ///   context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
  ///   lastToken = transaction.token
  /// }
  /// ```
  ///
  /// Saves of this program's contexts are noticed at once. Batch requests and other programs' writes are noticed at
  /// once if a store was opened with `NSPersistentStoreRemoteChangeNotificationPostOptionKey`, otherwise with the
  /// next save. Transactions are read on demand, so that a slow loop misses none, and only those read together are
  /// kept in memory. The sequence ends when the task is cancelled.
  ///
  /// - Parameter token: the bookmark to start from; nil for the whole history.
  public final func history(
    after token: NSPersistentHistoryToken? = nil
  ) -> PersistentHistoryTransactions {
    PersistentHistoryTransactions(coordinator: self, token: token)
  }
}
