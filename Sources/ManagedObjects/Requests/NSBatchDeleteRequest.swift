import DataModels
import Foundation

/// Deletes many rows at once, without objects.
///
/// ```swift
/// let old = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
/// old.predicate = NSPredicate(format: "isActive == NO")
/// try context.execute(NSBatchDeleteRequest(fetchRequest: old))
/// ```
///
/// Delete rules are applied: cascades continue, and references to deleted rows are cleared. The request is atomic in
/// each store: if a mandatory relationship would lose its destination, or a rule denies the deletion, it throws. The
/// result counts the requested rows, not those deleted by cascades; persistent history records all of them.
open class NSBatchDeleteRequest: NSPersistentStoreRequest, ExecutableRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data requires of requests; a template is immutable.

  /// The content of the result. The status, in a new request.
  open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly
  private final let request: AnyFetchRequest
  private final let ids: [NSManagedObjectID]?

  /// Creates a request to delete what another request would fetch, considering its entity, predicate, sort order and
  /// limit.
  public init(fetchRequest fetch: AnyFetchRequest) {
    // What the program does with its request later doesn't concern this one.
    request = NSFetchRequest<NSFetchRequestResult>(fetch)
    ids = nil
  }

  /// Creates a request to delete what another request would fetch, as above. This is Core Data's own initializer, from
  /// which `NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Person"))` infers the request's type.
  public convenience init(fetchRequest fetch: NSFetchRequest<NSFetchRequestResult>) {
    self.init(fetchRequest: fetch as AnyFetchRequest)
  }

  /// Creates a request to delete particular objects, all of one entity.
  public init(objectIDs objects: [NSManagedObjectID]) {
    let fetch = NSFetchRequest<NSFetchRequestResult>()
    fetch.entity = objects.first?.entity
    request = fetch
    ids = objects
  }

  /// The rows to delete, as a fetch request.
  public final var fetchRequest: NSFetchRequest<NSFetchRequestResult> {
    let copy = NSFetchRequest<NSFetchRequestResult>(request)
    if let ids { copy.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [ids]) }
    return copy
  }

  /// Always `NSPersistentStoreRequestType.batchDeleteRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy =
      ids.map { NSBatchDeleteRequest(objectIDs: $0) }
      ?? NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(request))
    copy.resultType = resultType
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }

  package func execute(
    in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    if let ids, ids.isEmpty { return NSBatchDeleteResult(BatchOutcome(), resultType) }
    let layout = try context.layout(request.entity, named: request.entityName)
    if let ids, ids.contains(where: { $0.layout !== ids[0].layout || $0.isTemporary }) {
      throw CoreDataError.make(
        NSCoreDataError,
        "A batch delete takes object IDs of a single entity, of objects that have been saved.")
    }
    // It deletes the current rows, so these count in aggregates.
    var query = try context.readingNewest {
      try context.query(for: request, includesPendingChanges: false)
    }
    query.layout = layout
    let asked = affectedStores ?? request.affectedStores
    let engines = try writableEngines(
      for: layout, includesSubentities: query.includesSubentities, coordinator,
      in: ids.map { Self.stores(of: $0, asked, coordinator) } ?? asked)
    query.stores = engines.map(\.store)
    var outcome = BatchOutcome()
    let author = BatchAuthor(context)
    var written: [NSPersistentStore] = []
    defer { for store in written { store.noteWrite() } }
    try coordinator.locked {
      var ids = ids
      if ids == nil, engines.count > 1, query.limit > 0 || query.offset > 0 {
        // Which rows these are, all stores decide together.
        ids = try context.matchingInMemory(query)
      }
      for (store, engine) in engines {
        let own = ids.map { $0.filter { $0.storeReference === store.reference } }
        let part = try engine.delete(
          BatchDeletion(
            layout: layout, rows: own.map { .ids($0) } ?? .query(query),
            wantsIDs: resultType == .resultTypeObjectIDs, author: author,
            matching: context.matchingInMemory))
        if part.count > 0 { written.append(store) }
        outcome.add(part)
      }
    }
    return NSBatchDeleteResult(outcome, resultType)
  }
}

extension NSBatchDeleteRequest {
  /// The stores that have objects of these IDs: others may be read-only, or unable to delete.
  private static func stores(
    of ids: [NSManagedObjectID], _ asked: [NSPersistentStore]?,
    _ coordinator: NSPersistentStoreCoordinator
  ) -> [NSPersistentStore] {
    let all = asked ?? coordinator.persistentStores
    let own = Set(ids.compactMap { $0.storeReference.map(ObjectIdentifier.init) })
    let found = all.filter { own.contains(ObjectIdentifier($0.reference)) }
    return found.isEmpty ? all : found
  }
}

/// The content of a batch delete's result.
public enum NSBatchDeleteRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether the request succeeded: a `Bool`.
  case resultTypeStatusOnly = 0
  /// The deleted objects: an array of ``NSManagedObjectID``.
  case resultTypeObjectIDs = 1
  /// The number of deleted objects: an `Int`.
  case resultTypeCount = 2
}

/// The result of an ``NSBatchDeleteRequest``.
///
/// ```swift
/// request.resultType = .resultTypeObjectIDs
/// let result = try context.execute(request) as? NSBatchDeleteResult
/// let ids = result?.result as? [NSManagedObjectID] ?? []
/// NSManagedObjectContext.mergeChanges(
///   fromRemoteContextSave: [NSDeletedObjectIDsKey: ids], into: [context])
/// ```
open class NSBatchDeleteResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: immutable.

  /// The requested content: a `Bool`, an array of ``NSManagedObjectID``, or an `Int`.
  open private(set) var result: Any?
  /// The kind of content.
  open private(set) var resultType: NSBatchDeleteRequestResultType

  /// Creates an empty result, for mocks in a program's tests.
  public override init() { resultType = .resultTypeStatusOnly }

  init(_ outcome: BatchOutcome, _ type: NSBatchDeleteRequestResultType) {
    resultType = type
    result = outcome.result(type.rawValue)
  }
}
