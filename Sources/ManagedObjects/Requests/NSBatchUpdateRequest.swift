import DataModels
import Foundation
import PredicateFormat

/// Updates attributes and to-one relationships of many rows at once, without objects.
///
/// ```swift
/// let request = NSBatchUpdateRequest(entityName: "Person")
/// request.predicate = NSPredicate(format: "age >= 65")
/// request.propertiesToUpdate = [
///   "isActive": false, "pay": NSExpression(format: "pay * 0.7"),
/// ]
/// try context.execute(request)
/// ```
///
/// The request is atomic in each store. Values aren't validated, but uniqueness constraints are enforced.
open class NSBatchUpdateRequest: NSPersistentStoreRequest, ExecutableRequest, @unchecked Sendable {
  // Sendable: used in one place at a time, as Core Data requires of requests; a template is immutable.
  private final var givenEntity: NSEntityDescription?
  /// The entity's name.
  public final let entityName: String
  /// Whether rows of subentities are included. True in a new request.
  open var includesSubentities = true
  /// The rows to update; nil for all.
  open var predicate: NSPredicate?
  /// The new values, constants or `NSExpression`s, by property name or description.
  open var propertiesToUpdate: [AnyHashable: Any]? {
    get { storedPropertiesToUpdate }
    set { storedPropertiesToUpdate = newValue }
  }
  // A separate variable: in `propertiesToUpdate?[key] = …` the right side may read the property too, which
  // exclusivity forbids for a stored one.
  private final var storedPropertiesToUpdate: [AnyHashable: Any]?
  /// The content of the result. The status, in a new request.
  open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

  /// Creates a request for rows of the entity with a name.
  public init(entityName: String) {
    givenEntity = nil
    self.entityName = entityName
  }

  /// Creates a request for rows of an entity.
  public init(entity: NSEntityDescription) {
    givenEntity = entity
    entityName = entity.name ?? ""
  }

  /// The entity. A request created with a name has none until it is executed.
  public final var entity: NSEntityDescription {
    guard let givenEntity else {
      preconditionFailure(
        "-[NSBatchUpdateRequest entity]: This request was created with a string name "
          + "(\(entityName)), and cannot respond to -entity until used by an NSManagedObjectContext"
      )
    }
    return givenEntity
  }

  /// Always `NSPersistentStoreRequestType.batchUpdateRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

  /// Returns a copy of the request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy =
      givenEntity.map { NSBatchUpdateRequest(entity: $0) }
      ?? NSBatchUpdateRequest(entityName: entityName)
    copy.includesSubentities = includesSubentities
    copy.predicate = predicate
    copy.propertiesToUpdate = propertiesToUpdate
    copy.resultType = resultType
    copy.affectedStoreObjects = affectedStoreObjects
    return copy
  }

  package func execute(
    in context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStoreResult {
    let layout = try context.layout(givenEntity, named: entityName)
    givenEntity = layout.entity
    try KeyPathCheck(layout, in: context).check(predicate)
    let engines = try writableEngines(
      for: layout, includesSubentities: includesSubentities, coordinator, in: affectedStores)
    // It changes the current rows, so these count in aggregates.
    var query = try context.readingNewest {
      try context.resolvingAggregates(
        of: RowQuery(
          layout: layout, includesSubentities: includesSubentities, predicate: predicate),
        includesPendingChanges: false)
    }
    query.stores = engines.map(\.store)
    let batch = BatchUpdate(
      query: query, values: try values(of: layout),
      wantsIDs: resultType == .updatedObjectIDsResultType, author: BatchAuthor(context),
      matching: context.matchingInMemory)
    var outcome = BatchOutcome()
    // A store must not refuse what another has written already.
    for case .stored(.reference(let id)) in batch.values.map(\.value) {
      for (store, _) in engines where store.holds(layout) { _ = try store.reference.key(of: id) }
    }
    var written: [NSPersistentStore] = []
    defer { for store in written { store.noteWrite() } }
    try coordinator.locked {
      for (store, engine) in engines {
        let part = try engine.update(batch)
        if part.count > 0 { written.append(store) }
        outcome.add(part)
      }
    }
    return NSBatchUpdateResult(outcome, resultType)
  }

  private final func values(
    of layout: EntityLayout
  ) throws -> [(property: PropertyLayout, value: BatchUpdate.Value)] {
    var values: [(property: PropertyLayout, value: BatchUpdate.Value)] = []
    for (key, value) in propertiesToUpdate ?? [:] {
      let name = key.base as? String ?? (key.base as? NSPropertyDescription)?.name
      guard let name, let property = layout.propertiesByName[name] else {
        throw refusal("there is no property '\(name ?? "\(key)")'")
      }
      guard !property.isToMany, property.kind != .fetched, !property.isTransient,
        !property.isDerived
      else {
        throw refusal("'\(name)' is neither a stored attribute nor a to-one relationship")
      }
      guard let new = Self.value(value, property) else {
        throw refusal("'\(name)' can't be a \(type(of: value))")
      }
      values.append((property, new))
    }
    return values.sorted { $0.property.slot < $1.property.slot }
  }

  private static func value(_ value: Any, _ property: PropertyLayout) -> BatchUpdate.Value? {
    if let expression = value as? PredicateFormat.NSExpression {
      guard case .constant(let constant) = expression.tree else {
        return .expression(expression.tree)
      }
      guard let value = constant.foundationValue else { return .stored(.null) }
      return Self.value(value, property)
    }
    guard property.kind == .toOne else {
      return AttributeCodec.stored(value, type: property.attributeType).map { .stored($0) }
    }
    guard let value = AttributeCodec.unwrapped(value) else { return .stored(.null) }
    let id = (value as? NSManagedObject)?.objectID ?? value as? NSManagedObjectID
    guard let id, !id.isTemporary, let destination = property.destination,
      id.layout.isKind(of: destination)
    else { return nil }
    return .stored(.reference(id))
  }

  private final func refusal(_ problem: String) -> NSError {
    CoreDataError.make(
      NSCoreDataError, "A batch update of '\(entityName)' can't be done: \(problem).")
  }
}

/// The content of a batch update's result.
public enum NSBatchUpdateRequestResultType: UInt, Sendable, CaseIterable {
  /// Whether the request succeeded: a `Bool`.
  case statusOnlyResultType = 0
  /// The updated objects: an array of ``NSManagedObjectID``.
  case updatedObjectIDsResultType = 1
  /// The number of updated objects: an `Int`.
  case updatedObjectsCountResultType = 2
}

/// The result of an ``NSBatchUpdateRequest``.
///
/// ```swift
/// request.resultType = .updatedObjectIDsResultType
/// let result = try context.execute(request) as? NSBatchUpdateResult
/// let ids = result?.result as? [NSManagedObjectID] ?? []
/// NSManagedObjectContext.mergeChanges(
///   fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [context])
/// ```
open class NSBatchUpdateResult: NSPersistentStoreResult, @unchecked Sendable {
  // Sendable: immutable.

  /// The requested content: a `Bool`, an array of ``NSManagedObjectID``, or an `Int`.
  open private(set) var result: Any?
  /// The kind of content.
  open private(set) var resultType: NSBatchUpdateRequestResultType

  /// Creates an empty result, for mocks in a program's tests.
  public override init() { resultType = .statusOnlyResultType }

  init(_ outcome: BatchOutcome, _ type: NSBatchUpdateRequestResultType) {
    resultType = type
    result = outcome.result(type.rawValue)
  }
}
