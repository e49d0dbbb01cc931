import DataModels
import Foundation

/// Inserts rows straight into the store, without objects.
///
/// ```swift
/// let request = NSBatchInsertRequest(entityName: "Person", objects: [["name": "Ada"]])
/// request.resultType = .count
/// let result = try context.execute(request) as? NSBatchInsertResult
/// ```
///
/// Attributes that a row leaves out get the model's defaults; relationships can't be set. All rows
/// are inserted, or none: a mandatory attribute without a value throws
/// ``NSValidationMissingMandatoryPropertyError``. Where a row's values must be unique and another
/// row has them, the context's merge policy decides: the error policy throws
/// ``NSManagedObjectConstraintMergeError``; with object trump the present row takes the values
/// given, with overwrite all of them; with store trump and rollback it stays as it is.
open class NSBatchInsertRequest: NSPersistentStoreRequest, ExecutableRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data asks of requests; a template never changes.

  /// The entity; nil when only its name was given.
  public final let entity: NSEntityDescription?
  /// The entity's name.
  public final let entityName: String
  /// What the result tells. Whether it was done, in a new request.
  open var resultType = NSBatchInsertRequestResultType.statusOnly
  /// The rows, as dictionaries; keys that the entity doesn't have are left out.
  open var objectsToInsert: [[String: Any]]? {
    get { storedObjectsToInsert }
    set { storedObjectsToInsert = newValue }
  }
  // Stored apart: in `objectsToInsert?[0] = …` the right side may read it as well, which one variable doesn't allow.
  private final var storedObjectsToInsert: [[String: Any]]?
  /// Fills the next row's dictionary in, or returns true when there are no more rows.
  open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
  /// Fills the next row's object in, or returns true when there are no more rows.
  open var managedObjectHandler: ((NSManagedObject) -> Bool)?

  /// Makes a request for rows given as dictionaries.
  public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
    self.entity = entity
    entityName = entity.name ?? ""
    storedObjectsToInsert = dictionaries
  }

  /// Makes a request for rows given as dictionaries.
  public init(entityName: String, objects dictionaries: [[String: Any]]) {
    entity = nil
    self.entityName = entityName
    storedObjectsToInsert = dictionaries
  }

  /// Makes a request whose rows `handler` gives, one after the other, until it returns true.
  public convenience init(
    entity: NSEntityDescription,
    dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entity: entity, objects: [])
    objectsToInsert = nil
    dictionaryHandler = handler
  }

  /// Makes a request whose rows `handler` gives, one after the other, until it returns true.
  public convenience init(
    entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
  ) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = nil
    dictionaryHandler = handler
  }

  /// Makes a request whose rows `handler` gives as objects, one after the other, until it returns
  /// true. The objects are in no context.
  public convenience init(
    entity: NSEntityDescription,
    managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entity: entity, objects: [])
    objectsToInsert = nil
    managedObjectHandler = handler
  }

  /// Makes a request whose rows `handler` gives as objects, one after the other, until it returns
  /// true. The objects are in no context.
  public convenience init(
    entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
  ) {
    self.init(entityName: entityName, objects: [])
    objectsToInsert = nil
    managedObjectHandler = handler
  }

  /// Always `NSPersistentStoreRequestType.batchInsertRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

  /// Makes a copy of the request.
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

  func execute(
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

/// What a batch insert tells of what it did.
public enum NSBatchInsertRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether it was done: a `Bool`.
  case statusOnly = 0
  /// Which objects were inserted: an array of ``NSManagedObjectID``.
  case objectIDs = 1
  /// How many objects were inserted: an `Int`.
  case count = 2
}

/// What a ``NSBatchInsertRequest`` did.
open class NSBatchInsertResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: never changed once it is made.

  /// What was asked for: a `Bool`, an array of ``NSManagedObjectID``, or an `Int`.
  open private(set) var result: Any?
  /// Which of them it is.
  open private(set) var resultType: NSBatchInsertRequestResultType

  /// A result of nothing, for stand-ins of a program's tests.
  public override init() { resultType = .statusOnly }

  init(_ outcome: BatchOutcome, _ type: NSBatchInsertRequestResultType) {
    resultType = type
    result = outcome.result(type.rawValue)
  }
}
