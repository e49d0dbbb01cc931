import Foundation

/// What a ``NSPersistentHistoryChangeRequest`` gave.
open class NSPersistentHistoryResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: never changed once it is made.

  /// What was asked for: an array of ``NSPersistentHistoryTransaction`` or
  /// ``NSPersistentHistoryChange`` or ``NSManagedObjectID``, an `Int`, or a `Bool`.
  public final let result: Any?
  /// Which of them it is.
  public final let resultType: NSPersistentHistoryResultType

  init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
    self.result = result
    resultType = type
  }
}

/// The form in which persistent history is given.
public enum NSPersistentHistoryResultType: Int, Sendable, CaseIterable {
  /// Whether it was done: a `Bool`.
  case statusOnly = 0
  /// The identities of the changed objects, each once.
  case objectIDs = 1
  /// How many transactions: an `Int`.
  case count = 2
  /// Transactions without their changes.
  case transactionsOnly = 3
  /// Changes, oldest first.
  case changesOnly = 4
  /// Transactions with their changes.
  case transactionsAndChanges = 5
}
