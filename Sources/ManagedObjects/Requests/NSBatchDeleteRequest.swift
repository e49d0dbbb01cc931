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
/// The delete rules of relationships hold: cascades go on, references to what is deleted are taken
/// out. All of it is done, or nothing: where a mandatory relationship would lose its destination, or
/// a rule denies the deletion, the request throws. The result counts the rows that were asked for,
/// not those that cascades reached; persistent history names all of them.
open class NSBatchDeleteRequest: NSPersistentStoreRequest, ExecutableRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data asks of requests; a template never changes.

  /// What the result tells. Whether it was done, in a new request.
  open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly
  private final let request: AnyFetchRequest
  private final let ids: [NSManagedObjectID]?

  /// Makes a request to delete what another one would fetch: entity, predicate, order and limit
  /// count.
  public init(fetchRequest fetch: AnyFetchRequest) {
    request = fetch
    ids = nil
  }

  /// Makes a request to delete certain objects, all of one entity.
  public init(objectIDs objects: [NSManagedObjectID]) {
    let fetch = NSFetchRequest<NSFetchRequestResult>()
    fetch.entity = objects.first?.entity
    request = fetch
    ids = objects
  }

  /// What is deleted, as a fetch request.
  public final var fetchRequest: NSFetchRequest<NSFetchRequestResult> {
    let copy = NSFetchRequest<NSFetchRequestResult>(request)
    if let ids { copy.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [ids]) }
    return copy
  }

  /// Always `NSPersistentStoreRequestType.batchDeleteRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

  /// Makes a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy =
      ids.map { NSBatchDeleteRequest(objectIDs: $0) }
      ?? NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(request))
    copy.resultType = resultType
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }

  func execute(
    in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    if let ids, ids.isEmpty { return NSBatchDeleteResult(BatchOutcome(), resultType) }
    let layout = try context.layout(request.entity, named: request.entityName)
    if let ids, ids.contains(where: { $0.layout !== ids[0].layout || $0.isTemporaryID }) {
      throw CoreDataError.make(
        NSCoreDataError,
        "A batch delete takes identities of one entity, of objects that were saved.")
    }
    var query = try context.query(for: request)
    query.layout = layout
    let engines = try writableEngines(for: layout, coordinator)
    var outcome = BatchOutcome()
    let author = BatchAuthor(context)
    try coordinator.locked {
      for (store, engine) in engines {
        let own = ids.map { $0.filter { $0.storeReference === store.reference } }
        outcome.add(
          try engine.delete(
            BatchDeletion(
              layout: layout, rows: own.map { .ids($0) } ?? .query(query),
              wantsIDs: resultType == .resultTypeObjectIDs, author: author,
              matching: context.matchingInMemory)))
      }
    }
    if outcome.count > 0 { for (store, _) in engines { store.noteWrite() } }
    return NSBatchDeleteResult(outcome, resultType)
  }
}

/// What a batch delete tells of what it did.
public enum NSBatchDeleteRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether it was done: a `Bool`.
  case resultTypeStatusOnly = 0
  /// Which objects were deleted: an array of ``NSManagedObjectID``.
  case resultTypeObjectIDs = 1
  /// How many objects were deleted: an `Int`.
  case resultTypeCount = 2
}

/// What a ``NSBatchDeleteRequest`` did.
open class NSBatchDeleteResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: never changed once it is made.

  /// What was asked for: a `Bool`, an array of ``NSManagedObjectID``, or an `Int`.
  open private(set) var result: Any?
  /// Which of them it is.
  open private(set) var resultType: NSBatchDeleteRequestResultType

  /// A result of nothing, for stand-ins of a program's tests.
  public override init() { resultType = .resultTypeStatusOnly }

  init(_ outcome: BatchOutcome, _ type: NSBatchDeleteRequestResultType) {
    resultType = type
    result = outcome.result(type.rawValue)
  }
}
