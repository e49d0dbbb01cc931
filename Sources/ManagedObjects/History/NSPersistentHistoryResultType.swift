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
