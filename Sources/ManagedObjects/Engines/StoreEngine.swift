import DataModels
import Foundation
import PredicateFormat

/// The interface between contexts and a store: rows in, rows out.
///
/// An engine never sees the program's objects. It sends rows to a ``RowSink``, receives the ``StoreChanges`` of a
/// save, and answers with a ``SaveOutcome`` or with ``StoreConflicts``; the coordinator then updates the saving
/// context's objects.
///
/// A coordinator calls its stores one request at a time, under its own lock; what else reads a SQLite store (see
/// ``ReaderPool``) is an engine of its own.
///
/// Other packages can provide engines: `@_spi(Engines) import ManagedObjects` makes this interface visible, and
/// ``NSPersistentStoreCoordinator/registerEngine(_:forStoreType:)`` registers an engine. Values that such an engine
/// returns are checked in release builds too: rows of another model, and positions and keys out of range, end the
/// program or the request, but never corrupt memory.
@_spi(Engines) public protocol StoreEngine: AnyObject {
  /// The store as referenced by object IDs.
  var reference: StoreReference { get }
  /// The current metadata: type, UUID, version hashes, and the program's own entries.
  var metadata: [String: Any] { get set }
  /// Whether writing is refused.
  var isReadOnly: Bool { get }
  /// Whether the store evaluates predicates by SQLite's rules, notably for nil. False for a store that leaves
  /// predicates to the context.
  var answersLikeSQLite: Bool { get }

  /// Whether reading a row whose external data file is missing fails, as copying requires complete data; otherwise
  /// such a value is null.
  var requiresExternalFiles: Bool { get set }

  /// Whether ``prepare(_:)`` itself rejects references to objects of other stores and to unsaved objects.
  var checksReferences: Bool { get }

  /// Whether the member of a to-many relationship without an inverse has one owner at most, because the member's own
  /// row refers to it.
  var keepsOneOwner: Bool { get }

  /// Sends the rows of a query to `sink`, in order.
  ///
  /// - Returns: whether predicate, order, limit and offset were applied. If not, the rows are all those of the
  ///   entity, and the context does the rest.
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool

  /// The number of rows in a query's result; nil if the store can't count without reading them.
  func count(_ query: RowQuery) throws -> Int?

  /// Sends the row of an object ID to `sink`; returns false if there is none.
  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool

  /// Sends the rows of a to-many relationship's destinations to `sink`, in the relationship's order.
  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws

  /// Sends the destinations of a to-many relationship of many objects to `sink`, in the relationship's order for each
  /// object.
  ///
  /// - Parameters:
  ///   - owners: the objects' keys; nil for all objects.
  ///   - layout: the objects' entity, or a superentity that has the relationship.
  ///   - owner: called with an object's key before each row; returns whether the row is wanted.
  /// - Returns: false if the destinations must be requested object by object.
  func fetchDestinations(
    ofMany owners: [Int64]?, _ layout: EntityLayout, _ property: PropertyLayout,
    into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool

  /// Sends the rows with some keys in a hierarchy to `sink`; returns false if they must be requested one by one.
  func fetchRows(_ keys: [Int64], of root: EntityLayout, into sink: any RowSink) throws -> Bool

  /// Reserves `count` consecutive keys of a hierarchy permanently, and returns the first.
  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64

  /// The last key of a hierarchy that was ever reserved, also for objects that are deleted; nil if the store doesn't
  /// know.
  func lastKey(of root: EntityLayout) throws -> Int64?

  /// Checks changes, and writes them as far as they can be rolled back: the first phase of every save.
  ///
  /// - Throws: ``StoreConflicts`` if other writers have changed the rows, if values violate a uniqueness constraint,
  ///   or if ``StoreChanges/unguardedReferences`` lead to rows that don't exist. Nothing is written then.
  func prepare(_ changes: StoreChanges) throws -> any PreparedSave

  /// The store's turn to commit in a save of several stores.
  var commitTurn: CommitTurn { get }

  /// Whether the store takes part in a save without changes for it, for example to write metadata.
  ///
  /// - Parameter isEmpty: whether the save has no changes at all.
  func wantsSave(isEmpty: Bool) -> Bool

  /// Registers a handler that is called, on any thread, whenever another connection has written to the store.
  func watch(_ handler: @escaping @Sendable () -> Void)

  /// A read-only snapshot of the store, independent of later writes; nil if the store doesn't support this.
  func generation() throws -> (any StoreEngine)?

  /// Gives the store another UUID, which the next save writes.
  func takeIdentifier(_ identifier: String)

  /// Closes the file.
  func close()
}

/// Defaults for a store that only keeps rows.
@_spi(Engines) extension StoreEngine {
  /// False.
  public var answersLikeSQLite: Bool { false }
  /// False: the coordinator checks them.
  public var checksReferences: Bool { false }
  /// False: each owner has its own list.
  public var keepsOneOwner: Bool { false }
  /// False, whatever it is set to.
  public var requiresExternalFiles: Bool {
    get { false }
    set {}
  }
  /// ``CommitTurn/file``.
  public var commitTurn: CommitTurn { .file }
  /// False.
  public func wantsSave(isEmpty: Bool) -> Bool { false }
  /// Sets the entry of the ``metadata``.
  public func takeIdentifier(_ identifier: String) { metadata[NSStoreUUIDKey] = identifier }
  /// A no-op: such a store isn't notified of other writers.
  public func watch(_ handler: @escaping @Sendable () -> Void) {}
  /// Nil.
  public func generation() throws -> (any StoreEngine)? { nil }
  /// Nil.
  public func lastKey(of root: EntityLayout) throws -> Int64? { nil }
  /// Nil: the context counts rows.
  public func count(_ query: RowQuery) throws -> Int? { nil }

  /// False: they are requested object by object.
  public func fetchDestinations(
    ofMany owners: [Int64]?, _ layout: EntityLayout, _ property: PropertyLayout,
    into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool { false }

  /// False: they are requested one by one.
  public func fetchRows(
    _ keys: [Int64], of root: EntityLayout, into sink: any RowSink
  ) throws -> Bool { false }
}
