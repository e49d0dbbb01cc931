import Foundation

/// The transactions of stores that keep persistent history, one after the other; see
/// ``NSPersistentStoreCoordinator/history(after:)``.
public struct PersistentHistoryTransactions: AsyncSequence, Sendable {
  /// What is told.
  public typealias Element = NSPersistentHistoryTransaction

  let coordinator: NSPersistentStoreCoordinator
  let token: NSPersistentHistoryToken?

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(coordinator, token) }

  /// Who listens; the stores are listened to as long as this is kept.
  public struct Iterator: AsyncIteratorProtocol {
    private let observers = NotificationObservers()
    private let context: NSManagedObjectContext
    private var reader: Mailbox<Bool>.Reader
    private var token: NSPersistentHistoryToken?
    /// What was read and not asked for yet, the last first.
    private var waiting: [NSPersistentHistoryTransaction] = []

    init(_ coordinator: NSPersistentStoreCoordinator, _ token: NSPersistentHistoryToken?) {
      self.token = token
      context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let mailbox = Mailbox<Bool>()
      reader = mailbox.makeReader()
      // The history there is comes first.
      mailbox.put { $0 = true }
      observers.add(.NSPersistentStoreRemoteChange, coordinator) { _ in mailbox.put { $0 = true } }
      observers.add(.NSManagedObjectContextDidSave, nil) { [weak coordinator] notification in
        let context = notification.object as? NSManagedObjectContext
        guard let coordinator, context?.persistentStoreCoordinator === coordinator else { return }
        mailbox.put { $0 = true }
      }
    }

    /// The next transaction; waits until there is one. Nil once the task is cancelled.
    ///
    /// - Throws: what reading the history throws.
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
  /// The bookmark after both.
  fileprivate func advanced(by other: NSPersistentHistoryToken) -> NSPersistentHistoryToken {
    NSPersistentHistoryToken(numbers.merging(other.numbers, uniquingKeysWith: max))
  }
}

extension NSPersistentStoreCoordinator {
  /// The persistent history of the stores: the transactions there are, and then each one that comes.
  ///
  /// ```swift
  /// for try await transaction in container.persistentStoreCoordinator.history(after: lastToken) {
  ///   context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
  ///   lastToken = transaction.token
  /// }
  /// ```
  ///
  /// Saves of this program's contexts are heard of at once; batch requests and other programs' writes where a
  /// store was opened with `NSPersistentStoreRemoteChangeNotificationPostOptionKey`, and otherwise with the next
  /// save. A transaction is read when it is asked for, so that a slow loop misses none, and none waits in memory
  /// but those that were read with it. The sequence ends when the task is cancelled.
  ///
  /// - Parameter token: where to begin; nil for all history.
  public final func history(
    after token: NSPersistentHistoryToken? = nil
  ) -> PersistentHistoryTransactions {
    PersistentHistoryTransactions(coordinator: self, token: token)
  }
}
