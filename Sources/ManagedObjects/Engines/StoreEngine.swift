import DataModels
import Foundation
import PredicateFormat

/// What a store does for contexts: rows in, rows out.
///
/// This is the border between objects and what keeps their rows. An engine never sees the program's objects: it
/// hands rows to a ``RowSink``, is given the ``StoreChanges`` of a save, and answers with a ``SaveOutcome`` or with
/// ``StoreConflicts``; the coordinator has the objects of the context that saves follow these.
///
/// A coordinator calls its stores one request at a time, under its own lock.
protocol StoreEngine: AnyObject {
  /// The store as identities know it.
  var reference: StoreReference { get }
  /// The metadata as they are now: type, UUID, version hashes, and the program's own.
  var metadata: [String: Any] { get set }
  /// Whether writing is refused.
  var isReadOnly: Bool { get }
  /// The rules of the store's own answers to predicates; those of a store in memory unless it says
  /// otherwise.
  var evaluationRules: EvaluationRules { get }

  /// Whether ``prepare(_:)`` itself refuses references to objects of other stores, and to ones never saved.
  var checksReferences: Bool { get }

  /// Hands every row that `query` asks for to `sink`, in its order.
  ///
  /// - Returns: Whether predicate, order, limit and offset were applied. If not, the rows are all
  ///   those of the entity, and the context does the rest.
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool

  /// How many rows `query` asks for; nil if the store can't tell without reading them.
  func count(_ query: RowQuery) throws -> Int?

  /// The dictionaries that a plan makes of the rows of a query; nil if they must be made in memory.
  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [[String: Any]]?

  /// Hands the row of an identity to `sink`; false when there is none.
  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool

  /// Hands the rows of a to-many relationship's destinations to `sink`, in the relationship's order.
  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws

  /// Hands the rows of a to-many relationship's destinations of many objects to `sink`, in the
  /// relationship's order for each of them.
  ///
  /// - Parameters:
  ///   - owners: the objects' keys; nil for all there are.
  ///   - layout: the objects' entity, or one above it that has the relationship.
  ///   - owner: called with an object's key before each row; tells whether the row is wanted.
  /// - Returns: false when they must be asked for object by object.
  func fetchDestinations(
    ofMany owners: [Int64]?, _ layout: EntityLayout, _ property: PropertyLayout,
    into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool

  /// Hands the rows of keys in a hierarchy to `sink`; false when they must be asked for one by one.
  func fetchRows(_ keys: [Int64], of root: EntityLayout, into sink: any RowSink) throws -> Bool

  /// Sets keys of a hierarchy aside for good, and gives the first of `count` in a row.
  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64

  /// Checks changes, and writes them as far as they can be taken back: the first half of every save.
  ///
  /// - Throws: ``StoreConflicts`` when other writers came first, or values are taken that must be unique.
  ///   Nothing is written then.
  func prepare(_ changes: StoreChanges) throws -> any PreparedSave

  /// When the store commits, in a save of several.
  var commitTurn: CommitTurn { get }

  /// Whether a save that brings the store no changes is for it all the same: to write metadata, say.
  ///
  /// - Parameter isEmpty: whether the save has no changes at all.
  func wantsSave(isEmpty: Bool) -> Bool

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

  /// Calls `handler`, on any thread, whenever another connection to the store wrote.
  func watch(_ handler: @escaping @Sendable () -> Void)

  /// The store as it is now, to be read whatever is written later; nil for a store that can't.
  func generation() throws -> (any StoreEngine)?

  /// Lets go of the file.
  func close()
}

/// What a store that only holds rows answers.
extension StoreEngine {
  var evaluationRules: EvaluationRules { .memoryStore }
  var checksReferences: Bool { false }

  func insert(_ batch: BatchInsertion) throws -> BatchOutcome { throw unsupported() }
  func update(_ batch: BatchUpdate) throws -> BatchOutcome { throw unsupported() }
  func delete(_ batch: BatchDeletion) throws -> BatchOutcome { throw unsupported() }

  func history(_ query: HistoryQuery) throws -> [NSPersistentHistoryTransaction] {
    throw unsupported()
  }

  func deleteHistory(before bound: HistoryQuery.Bound) throws -> Int {
    throw unsupported()
  }

  func historyPosition() throws -> Int64? { nil }
  func watch(_ handler: @escaping @Sendable () -> Void) {}

  private func unsupported() -> NSError {
    CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "Only SQLite stores know batch requests and persistent history.")
  }

  func generation() throws -> (any StoreEngine)? { nil }
}

extension StoreEngine {
  var commitTurn: CommitTurn { .file }
  func wantsSave(isEmpty: Bool) -> Bool { false }
}

/// What a store need not know how to do in one go.
extension StoreEngine {
  func fetchDestinations(
    ofMany owners: [Int64]?, _ layout: EntityLayout, _ property: PropertyLayout,
    into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool { false }

  func fetchRows(
    _ keys: [Int64], of root: EntityLayout, into sink: any RowSink
  ) throws -> Bool { false }
}
