import Foundation

/// An engine that can produce dictionary results.
@_spi(Engines) public protocol DictionaryEngine: StoreEngine {
  /// The dictionaries that a plan produces for the rows of a query; nil if they must be produced in memory.
  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [NSDictionary]?
}

/// An engine that executes batch requests and keeps persistent history.
@_spi(Engines) public protocol RequestEngine: DictionaryEngine {
  /// Inserts rows without objects, atomically.
  func insert(_ batch: BatchInsertion) throws -> BatchOutcome

  /// Updates rows without objects, atomically.
  func update(_ batch: BatchUpdate) throws -> BatchOutcome

  /// Deletes rows without objects, atomically.
  func delete(_ batch: BatchDeletion) throws -> BatchOutcome

  /// Reads persistent history, oldest first.
  ///
  /// - Throws: ``NSPersistentHistoryTokenExpiredError`` if the history doesn't reach back far enough.
  func history(_ query: HistoryQuery) throws -> [NSPersistentHistoryTransaction]

  /// Deletes persistent history, and returns the number of deleted transactions.
  func deleteHistory(before bound: HistoryQuery.Bound) throws -> Int

  /// Deletes transactions of persistent history by their numbers, and returns how many there were.
  func deleteHistory(ofTransactions numbers: [Int64]) throws -> Int

  /// The number of the last transaction of persistent history; nil in a store without history.
  func historyPosition() throws -> Int64?
}

extension NSPersistentStore {
  /// The engine as one that supports batch requests and persistent history.
  final func requireRequestEngine() throws -> any RequestEngine {
    try requireEngine().takingRequests()
  }
}

extension StoreEngine {
  /// The engine as one that supports batch requests and persistent history.
  func takingRequests() throws -> any RequestEngine {
    guard let engine = self as? any RequestEngine else {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "Stores of this type support neither batch requests nor persistent history; SQLite stores do."
      )
    }
    return engine
  }
}
