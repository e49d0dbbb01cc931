import DataModels
import Foundation

/// Inserts rows directly into the store, without objects.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Person", objects: [["name": "Ada"]])
/// request.resultType = .count
/// let result = try context.execute(request) as? NSBatchInsertResult
/// ```
///
/// Attributes that a row omits get the model's defaults; relationships can't be set. The request is atomic: a
/// mandatory attribute without a value throws ``NSValidationMissingMandatoryPropertyError``. If a row violates a
/// uniqueness constraint, the context's merge policy decides: the error policy throws
/// ``NSManagedObjectConstraintMergeError``; with object trump the existing row takes the provided values, with
/// overwrite all values; with store trump and rollback it stays as it is.
open class NSBatchInsertRequest: NSPersistentStoreRequest, ExecutableRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data requires of requests; a template is immutable.

  /// The entity; nil if only its name was provided.
  public final let entity: NSEntityDescription?
  /// The entity's name.
  public final let entityName: String
  /// The content of the result. The status, in a new request.
  open var resultType = NSBatchInsertRequestResultType.statusOnly
  /// The rows, as dictionaries; keys that aren't properties of the entity are ignored.
  open var objectsToInsert: [[String: Any]]? {
    get { storedObjectsToInsert }
    set { storedObjectsToInsert = newValue }
  }
  // A separate variable: in `objectsToInsert?[0] = …` the right side may read the property too, which exclusivity
  // forbids for a stored one.
  private final var storedObjectsToInsert: [[String: Any]]?
  /// Fills in the next row's dictionary, or returns true at the end.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
  /// Fills in the next row's object, or returns true at the end.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?

  /// Creates a request for rows given as dictionaries.
  public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
    self.entity = entity
    entityName = entity.name ?? ""
    storedObjectsToInsert = dictionaries
  }

  /// Creates a request for rows given as dictionaries.
  public init(entityName: String, objects dictionaries: [[String: Any]]) {
    entity = nil
    self.entityName = entityName
    storedObjectsToInsert = dictionaries
  }

  /// Creates a request whose handler provides one row after another, until it returns true.
  public convenience init(
    entity: NSEntityDescription,
    dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entity: entity, objects: [])
    objectsToInsert = nil
    dictionaryHandler = handler
  }

  /// Creates a request whose handler provides one row after another, until it returns true.
  public convenience init(
    entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = nil
    dictionaryHandler = handler
  }

  /// Creates a request whose handler provides one row after another as an object, until it returns true. The objects
  /// have no context.
  public convenience init(
    entity: NSEntityDescription,
    managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entity: entity, objects: [])
    objectsToInsert = nil
    managedObjectHandler = handler
  }

  /// Creates a request whose handler provides one row after another as an object, until it returns true. The objects
  /// have no context.
  public convenience init(
    entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = nil
    managedObjectHandler = handler
  }

  /// Always `NSPersistentStoreRequestType.batchInsertRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy =
      entity.map { NSBatchInsertRequest(entity: $0, objects: []) }
      ?? NSBatchInsertRequest(entityName: entityName, objects: [])
    copy.objectsToInsert = objectsToInsert
    copy.dictionaryHandler = dictionaryHandler
    copy.managedObjectHandler = managedObjectHandler
    copy.resultType = resultType
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }

  package func execute(
    in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    let layout = try context.layout(entity, named: entityName)
    guard !layout.entity.isAbstract else {
      throw CoreDataError.make(
        NSCoreDataError, "Rows can't be inserted for the abstract entity '\(layout.name)'.")
    }
    let batch = BatchInsertion(
      layout: layout, policy: (context.mergePolicy as? NSMergePolicy ?? .error).mergeType,
      wantsIDs: resultType == .objectIDs, author: BatchAuthor(context), next: rows(of: layout))
    let stores = (affectedStores ?? coordinator.persistentStores).filter { $0.holds(layout) }
    guard let store = stores.first(where: { !$0.isReadOnly }) else {
      throw CoreDataError.noStore(for: layout.name, among: stores)
    }
    let outcome = try coordinator.locked { try store.requireRequestEngine().insert(batch) }
    store.noteWrite()
    return NSBatchInsertResult(outcome, resultType)
  }
}

/// The content of a batch insert's result.
public enum NSBatchInsertRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether the request succeeded: a `Bool`.
  case statusOnly = 0
  /// The inserted objects: an array of ``NSManagedObjectID``.
  case objectIDs = 1
  /// The number of inserted objects: an `Int`.
  case count = 2
}

/// The result of an ``NSBatchInsertRequest``.
///
/// ```swift
/// request.resultType = .objectIDs
/// let result = try context.execute(request) as? NSBatchInsertResult
/// let ids = result?.result as? [NSManagedObjectID] ?? []
/// NSManagedObjectContext.mergeChanges(
///   fromRemoteContextSave: [NSInsertedObjectIDsKey: ids], into: [context])
/// ```
open class NSBatchInsertResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: immutable.

  /// The requested content: a `Bool`, an array of ``NSManagedObjectID``, or an `Int`.
  open private(set) var result: Any?
  /// The kind of content.
  open private(set) var resultType: NSBatchInsertRequestResultType

  /// Creates an empty result, for mocks in a program's tests.
  public override init() { resultType = .statusOnly }

  init(_ outcome: BatchOutcome, _ type: NSBatchInsertRequestResultType) {
    resultType = type
    result = outcome.result(type.rawValue)
  }
}
