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
///
/// Packages of their own have engines too: `@_spi(Engines) import ManagedObjects` shows this border, and
/// ``NSPersistentStoreCoordinator/registerEngine(_:forStoreType:)`` makes an engine known. What such an engine
/// hands in is checked in release builds as well: rows of another model, positions and keys out of range end the
/// program or the request, not the memory.
@_spi(Engines) public protocol StoreEngine: AnyObject {
  /// The store as identities know it.
  var reference: StoreReference { get }
  /// The metadata as they are now: type, UUID, version hashes, and the program's own.
  var metadata: [String: Any] { get set }
  /// Whether writing is refused.
  var isReadOnly: Bool { get }
  /// Whether the store answers predicates by SQLite's rules, of nil above all; a store that leaves predicates to
  /// the context doesn't.
  var answersLikeSQLite: Bool { get }

  /// Whether rows can't be read where the file of a value is missing, as what is copied must be whole; else such a
  /// value is none.
  var requiresExternalFiles: Bool { get set }

  /// Whether ``prepare(_:)`` itself refuses references to objects of other stores, and to ones never saved.
  var checksReferences: Bool { get }

  /// Hands every row that `query` asks for to `sink`, in its order.
  ///
  /// - Returns: Whether predicate, order, limit and offset were applied. If not, the rows are all
  ///   those of the entity, and the context does the rest.
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool

  /// How many rows `query` asks for; nil if the store can't tell without reading them.
  func count(_ query: RowQuery) throws -> Int?

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

  /// Calls `handler`, on any thread, whenever another connection to the store wrote.
  func watch(_ handler: @escaping @Sendable () -> Void)

  /// The store as it is now, to be read whatever is written later; nil for a store that can't.
  func generation() throws -> (any StoreEngine)?

  /// Lets go of the file.
  func close()
}

/// What a store that only holds rows answers.
@_spi(Engines) extension StoreEngine {
  /// False.
  public var answersLikeSQLite: Bool { false }
  /// False: the coordinator checks them.
  public var checksReferences: Bool { false }
  /// False, whatever it is set to.
  public var requiresExternalFiles: Bool {
    get { false }
    set {}
  }
  /// ``CommitTurn/file``.
  public var commitTurn: CommitTurn { .file }
  /// False.
  public func wantsSave(isEmpty: Bool) -> Bool { false }
  /// Nothing: such a store hears of nobody else's writes.
  public func watch(_ handler: @escaping @Sendable () -> Void) {}
  /// Nil.
  public func generation() throws -> (any StoreEngine)? { nil }
  /// Nil: rows are counted by the context.
  public func count(_ query: RowQuery) throws -> Int? { nil }

  /// False: they are asked for object by object.
  public func fetchDestinations(
    ofMany owners: [Int64]?, _ layout: EntityLayout, _ property: PropertyLayout,
    into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool { false }

  /// False: they are asked for one by one.
  public func fetchRows(
    _ keys: [Int64], of root: EntityLayout, into sink: any RowSink
  ) throws -> Bool { false }
}
