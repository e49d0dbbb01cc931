import Foundation

/// The result of an ``NSPersistentHistoryChangeRequest``.
///
/// ```swift
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// request.resultType = .count
/// let result = try context.execute(request) as? NSPersistentHistoryResult
/// let count = result?.result as? Int ?? 0
/// ```
open class NSPersistentHistoryResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: immutable.

  /// The requested content: an array of ``NSPersistentHistoryTransaction``, ``NSPersistentHistoryChange`` or
  /// ``NSManagedObjectID``, an `Int`, or a `Bool`.
  open var result: Any? { content }
  /// The kind of content.
  public final let resultType: NSPersistentHistoryResultType

  private let content: Any?

  init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
    content = result
    resultType = type
  }
}

/// The content of a persistent history result.
public enum NSPersistentHistoryResultType: Int, Sendable, CaseIterable {
  /// Whether the request succeeded: a `Bool`.
  case statusOnly = 0
  /// The distinct IDs of the changed objects.
  case objectIDs = 1
  /// The number of transactions: an `Int`.
  case count = 2
  /// Transactions without their changes.
  case transactionsOnly = 3
  /// Changes, oldest first.
  case changesOnly = 4
  /// Transactions with their changes.
  case transactionsAndChanges = 5
}
