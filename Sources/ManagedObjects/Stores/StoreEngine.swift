import Foundation
import ManagedModel
import PredicateFormat

/// What a store does for contexts: rows in, rows out.
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

  /// Whether ``save(_:)`` itself refuses references to objects of other stores, and to ones never saved.
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
  /// - Throws: ``SaveConflicts`` when other writers came first. Nothing is written then.
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

/// Rows asked for.
struct RowQuery {
  /// The entity.
  var layout: EntityLayout
  /// Whether rows of subentities count.
  var includesSubentities: Bool
  /// Which rows; nil for all.
  var predicate: NSPredicate?
  /// In which order.
  var sortDescriptors: [NSSortDescriptor]
  /// How many at most; 0 for any number.
  var limit: Int
  /// How many are left out first.
  var offset: Int
  /// The stores asked; nil for all.
  var stores: [NSPersistentStore]?

  /// The predicate as errors name it.
  var predicateText: String { predicate?.canonicalFormat ?? "" }

  init(
    layout: EntityLayout, includesSubentities: Bool = true, predicate: NSPredicate? = nil,
    sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0
  ) {
    self.layout = layout
    self.includesSubentities = includesSubentities
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.limit = limit
    self.offset = offset
  }

  /// Whether a row of this entity can be among those asked for.
  func includes(_ other: EntityLayout) -> Bool {
    other === layout || includesSubentities && other.isKind(of: layout)
  }

  /// Whether an object can be among those asked for.
  func includes(_ object: NSManagedObject) -> Bool {
    includes(object.layout) && (stores.map { object.isIn(oneOf: $0) } ?? true)
  }
}

/// Who takes rows.
protocol RowSink: AnyObject {
  /// Called before the rows of a store; nil for rows that no store has yet.
  func begin(_ store: StoreReference?)

  /// Called for each row, before its values are read.
  ///
  /// - Returns: Whether the values are wanted: they aren't for an object that has them.
  func wantsValues(of layout: EntityLayout, key: Int64, version: Int64) -> Bool

  /// Called after ``wantsValues(of:key:version:)`` with the temporary identity of a row that an ancestor
  /// context has and no store: whoever has it learns from it what becomes of it.
  func take(identity: NSManagedObjectID)

  /// Called with the row's values by slot, when they were wanted.
  func take(_ values: [StoredValue])

  /// Memory where the values that were wanted may be made by slot, to be followed by
  /// ``takeRoom(count:)`` at once, or by nothing if they can't be made.
  ///
  /// - Returns: nil from a sink that takes lists only.
  func room(count: Int) -> UnsafeMutablePointer<StoredValue>?

  /// Called when all values are in the ``room(count:)``.
  func takeRoom(count: Int)
}

extension RowSink {
  func take(identity: NSManagedObjectID) {}
  func room(count: Int) -> UnsafeMutablePointer<StoredValue>? { nil }
  func takeRoom(count: Int) {}
}

/// What a save writes.
struct StoreChanges {
  /// New objects, which have their lasting identities.
  var inserted: [NSManagedObject] = []
  /// Objects with changes, and those whose version is only to be checked.
  var updated: [NSManagedObject] = []
  /// Objects to be deleted.
  var deleted: [NSManagedObject] = []
  /// Objects whose version is to be checked without being written.
  var guarded: [NSManagedObject] = []
  /// The context's name and author, for persistent history.
  var contextName: String?
  var author: String?
  /// The context that saves.
  var context: NSManagedObjectContext?

  /// Whether there is nothing to write.
  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && guarded.isEmpty
  }

  /// How many objects there are.
  var count: Int { inserted.count + updated.count + deleted.count + guarded.count }

  /// All objects.
  var objects: [NSManagedObject] { inserted + updated + deleted + guarded }

  /// Those changes whose objects are as asked for.
  func keeping(_ isKept: (NSManagedObject) -> Bool) -> StoreChanges {
    var part = self
    part.inserted = inserted.keeping(isKept)
    part.updated = updated.keeping(isKept)
    part.deleted = deleted.keeping(isKept)
    part.guarded = guarded.keeping(isKept)
    return part
  }
}

/// A row as the store has it.
struct StoredRow: @unchecked Sendable {
  let layout: EntityLayout
  let key: Int64
  let version: Int64
  let values: [StoredValue]

  init(layout: EntityLayout, key: Int64, version: Int64, values: [StoredValue]) {
    self.layout = layout
    self.key = key
    self.version = version
    self.values = values
  }
}

/// Thrown by a store whose rows changed since the objects were read, or where new rows break a
/// uniqueness constraint. Nothing was written. It never leaves the context's queue.
struct SaveConflicts: Error, @unchecked Sendable {
  /// Objects whose rows changed, each with the row as it is now; nil for a deleted one.
  var versions: [(object: NSManagedObject, row: StoredRow?)] = []
  /// Objects whose values others have already, of the same save or in the store.
  var constraints: [Clash] = []

  /// Objects of one save that want values which only one may have.
  struct Clash {
    /// The names of the attributes that must differ.
    let constraint: [String]
    /// The objects.
    var objects: [NSManagedObject]
    /// The row that has the values, if it isn't the row of one of the objects that are saved.
    var row: StoredRow?

    init(constraint: [String], objects: [NSManagedObject], row: StoredRow?) {
      self.constraint = constraint
      self.objects = objects
      self.row = row
    }
  }

  init() {}

  /// Adds those of another store.
  mutating func add(_ others: SaveConflicts) {
    versions += others.versions
    constraints += others.constraints
  }

  /// Whether there are none.
  var isEmpty: Bool { versions.isEmpty && constraints.isEmpty }
}
