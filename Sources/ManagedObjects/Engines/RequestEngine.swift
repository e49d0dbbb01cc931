import Foundation

/// An engine that makes dictionaries itself.
protocol DictionaryEngine: StoreEngine {
  /// The dictionaries that a plan makes of the rows of a query; nil if they must be made in memory.
  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [[String: Any]]?
}

/// An engine that carries out batches and keeps persistent history.
protocol RequestEngine: DictionaryEngine {
  /// Inserts rows without objects: all of them, or none.
  func insert(_ batch: BatchInsertion) throws -> BatchOutcome

  /// Changes rows without objects: all of them, or none.
  func update(_ batch: BatchUpdate) throws -> BatchOutcome

  /// Deletes rows without objects: all of them, or none.
  func delete(_ batch: BatchDeletion) throws -> BatchOutcome

  /// Reads persistent history, oldest first.
  ///
  /// - Throws: ``NSPersistentHistoryTokenExpiredError`` when it doesn't reach back far enough.
  func history(_ query: HistoryQuery) throws -> [NSPersistentHistoryTransaction]

  /// Deletes persistent history, and tells how many transactions there were.
  func deleteHistory(before bound: HistoryQuery.Bound) throws -> Int

  /// The number of the last transaction of persistent history; nil in a store without history.
  func historyPosition() throws -> Int64?
}

extension NSPersistentStore {
  /// The engine, for batches and persistent history.
  final func requireRequestEngine() throws -> any RequestEngine {
    try requireEngine().takingRequests()
  }
}

extension StoreEngine {
  /// The same engine, for batches and persistent history.
  func takingRequests() throws -> any RequestEngine {
    guard let engine = self as? any RequestEngine else {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "Only SQLite stores know batch requests and persistent history.")
    }
    return engine
  }
}
