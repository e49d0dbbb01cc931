import DataModels
import Foundation

/// Fetching.
extension NSManagedObjectContext {
  /// The objects, object IDs, dictionaries or counts that a request asks for.
  ///
  /// Unsaved changes are included unless the request excludes them.
  ///
  /// - Throws: an `NSError` with a Core Data code if the store fails; ``NSCoreDataError`` for a result type that
  ///   doesn't match the request's generic type.
  public final func fetch<Result>(_ request: NSFetchRequest<Result>) throws -> [Result] {
    if let type = Result.self as? NSManagedObject.Type { ObjectClassRegistry.shared.register(type) }
    if isPlain, Result.self is NSManagedObject.Type, request.resultType == .managedObjectResultType
    {
      let objects = try fetchObjects(request)
      if let typed = objects.typed(as: Result.self) { return typed }
      if let plain = objects.first(where: {
        !($0 is Result) && $0.layout.objectClass is Result.Type
      }) {
        throw CoreDataError.classlessObject(plain, wanted: Result.self)
      }
    }
    let results = try isPlain ? results(of: request) : fetch(request.untyped)
    guard let results = results as? [Result] else {
      throw CoreDataError.make(
        NSCoreDataError,
        "The request for '\(request.entityName ?? "")' returned no \(Result.self); check its "
          + "resultType, and that the entity's class is known (NSManagedObject.register()).")
    }
    return results
  }

  /// The number of objects that match `request`.
  public final func count<Result>(for request: NSFetchRequest<Result>) throws -> Int {
    try isPlain ? fetchCount(request) : count(for: request.untyped)
  }

  /// Whether the context is of no subclass, which could override untyped fetches.
  private final var isPlain: Bool { type(of: self) == NSManagedObjectContext.self }

  /// Counts the objects of a request whose result type can't be inferred, as in `count(for: makeRequest())` with a
  /// generic function.
  @_disfavoredOverload
  public final func count(for request: NSFetchRequest<NSManagedObject>) throws -> Int {
    try isPlain ? fetchCount(request) : count(for: request.untyped)
  }

  // MARK: By result type

  final func results(of request: AnyFetchRequest) throws -> [Any] {
    switch request.resultType {
    case .countResultType: return [NSNumber(value: try fetchCount(request))]
    case .managedObjectIDResultType: return try fetchObjects(request).map(\.objectID)
    case .dictionaryResultType: return try fetchDictionaries(request)
    default: return try fetchObjects(request)
    }
  }

  /// The query of a request.
  ///
  /// - Parameter includesPendingChanges: whether unsaved objects count in aggregates; nil if the request says it.
  final func query(
    for request: AnyFetchRequest, includesPendingChanges: Bool? = nil
  ) throws -> RowQuery {
    checkQueue()
    guard let model = modelLayout else {
      throw CoreDataError.noStore(for: request.entityName ?? "")
    }
    let known = request.entity.flatMap { layout(of: $0) }
    guard let layout = known ?? request.entityName.flatMap({ model[$0] }) else {
      preconditionFailure(
        request.entityName.map {
          "-[NSManagedObjectContext executeFetchRequest:error:]: could not locate an entity named "
            + "'\($0)' in this model."
        } ?? "-[NSManagedObjectContext executeFetchRequest:error:]: A fetch request must have an "
          + "entity.")
    }
    if known == nil { request.resolve(layout.entity) }
    try KeyPathCheck(layout, in: self).check(request)
    var query = RowQuery(
      layout: layout, includesSubentities: request.includesSubentities,
      predicate: request.predicate, sortDescriptors: request.sortDescriptors ?? [],
      limit: max(0, request.fetchLimit), offset: max(0, request.fetchOffset))
    query.stores = request.affectedStores
    return try resolvingAggregates(
      of: query,
      includesPendingChanges: includesPendingChanges ?? request.includesPendingChanges)
  }

  final func fetchObjects(_ request: AnyFetchRequest) throws -> [NSManagedObject] {
    var query = try query(for: request)
    adoptPermanentIDs()
    // The transient values of unreferenced objects in a child context are reset to defaults.
    let forgetsValues = parent != nil && !query.layout.unstoredSlots.isEmpty
    if forgetsValues || identityMap.count > 2 * survivorsOfLastSweep + 1024 { sweep() }
    let refreshes = request.shouldRefreshRefetchedObjects
    // Rows that are loaded later, in batches or one by one, are left alone now.
    let comesLater =
      !request.includesPropertyValues
      || request.fetchBatchSize > 0 && request.returnsObjectsAsFaults
    let knewObjects = identityMap.count > 0
    var sink = ObjectSink(self, refreshes: refreshes, takesValues: !comesLater)
    query.keysOnly = comesLater && !refreshes
    var isComplete = try source.fetch(query, into: sink)
    query.keysOnly = false
    sink.settle()
    if !isComplete, comesLater {
      sink = ObjectSink(self, refreshes: refreshes)
      isComplete = try source.fetch(query, into: sink)
      sink.settle()
    }
    var objects = sink.objects
    reviveFound(objects)
    if isComplete, request.fetchBatchSize > 0 {
      remember(objects, of: query.layout, batchSize: request.fetchBatchSize)
    }
    if !isComplete {
      // A limit and an offset apply to saved values, with changes laid over the result, as in a SQLite store.
      let isSaved = !request.includesPendingChanges || query.limit > 0 || query.offset > 0
      // Here too the rows in the store decide, not older values in memory.
      let mayDiffer =
        isSaved && hasPendingChanges(of: query) || sink.metOlderValues
        || knewObjects && query.readsOtherRows
      objects = try mayDiffer ? savedObjects(query) : window(matching(objects, query), query)
      // The program hasn't seen the others: kept, they would show it the values of this fetch later.
      if objects.count < sink.objects.count {
        sink.letGo()
        sweep()
      }
    }
    if request.includesPendingChanges { objects = try overlay(objects, query) }
    if !request.returnsObjectsAsFaults { for object in objects { object.wake() } }
    if let keyPaths = request.relationshipKeyPathsForPrefetching, !keyPaths.isEmpty {
      let isAll = query.predicate == nil && query.limit == 0 && query.offset == 0
      try prefetch(keyPaths, for: objects, ofAllOf: isAll ? query.layout : nil)
    }
    return objects
  }

  final func fetchCount(_ request: AnyFetchRequest) throws -> Int {
    let query = try query(for: request)
    let hasPending = request.includesPendingChanges && hasPendingChanges(of: query)
    if !hasPending, let store = source as? StoreSource, let count = try store.count(query) {
      return count
    }
    return try fetchObjects(request).count
  }

  // MARK: In memory

  private final func matching(
    _ objects: [NSManagedObject], _ query: RowQuery
  ) throws -> [NSManagedObject] {
    let found = try condition(of: query).map { condition in
      try objects.filter { try condition.isSatisfied(by: $0) }
    }
    return sorted(found ?? objects, query)
  }

  /// The objects that match a query by their saved values, where registered objects may have other values.
  private final func savedObjects(_ query: RowQuery) throws -> [NSManagedObject] {
    let reader = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    reader.persistentStoreCoordinator = persistentStoreCoordinator
    reader.generationChoice = generationChoice
    let sink = ObjectSink(reader)
    _ = try source.fetch(query, into: sink)
    let found = reader.window(try reader.matching(sink.objects, query), query)
    return found.map { knownOrFault($0.objectID) }
  }

  final func sorted(
    _ objects: [NSManagedObject], _ query: RowQuery
  ) -> [NSManagedObject] {
    ObjectOrder(query.sortDescriptors).sorted(objects)
  }

  private final func window(
    _ objects: [NSManagedObject], _ query: RowQuery
  ) -> [NSManagedObject] {
    let rest = objects.dropFirst(query.offset)
    return Array(query.limit > 0 ? rest.prefix(query.limit) : rest)
  }

  // MARK: Fetched properties

  /// The objects that a fetched property returns for an object.
  final func fetchedObjects(
    of object: NSManagedObject, _ property: PropertyLayout
  ) -> [NSManagedObject] {
    guard let description = property.description as? NSFetchedPropertyDescription,
      let template = description.fetchRequest
    else { return [] }
    let request = NSFetchRequest<NSManagedObject>(template)
    request.predicate = template.predicate?.withSubstitutionVariables([
      "FETCH_SOURCE": object, "FETCHED_PROPERTY": description,
    ])
    return (try? fetchObjects(request)) ?? []
  }
}

extension CoreDataError {
  /// The error for a typed request that meets an object whose class isn't its entity's.
  fileprivate static func classlessObject<Class>(
    _ object: NSManagedObject, wanted: Class.Type
  ) -> NSError {
    let entity = object.layout.name
    return make(
      NSCoreDataError,
      "The request for '\(entity)' returned an object that is a \(type(of: object)), not a \(wanted): it was made "
        + "by \(type(of: object))(entity:insertInto:), which can't create one of another class here. Create "
        + "it by \(object.layout.objectClass)(context:) or "
        + "NSEntityDescription.insertNewObject(forEntityName: \"\(entity)\", into:).")
  }
}

extension NSFetchRequest {
  /// Fetches the request's results in the context whose `perform` or `performAndWait` block is running.
  ///
  /// Outside such a block, which is a programmer error, it traps; use the context's `fetch(_:)`.
  public func execute() throws -> [ResultType] {
    guard let context = CurrentContext.value, context.queue.isCurrent else {
      preconditionFailure(
        "-[NSFetchRequest execute:]: no context's block is running; use fetch(_:) of a context")
    }
    return try context.fetch(self)
  }
}

extension NSFetchRequest {
  /// The request as one of unknown result type: itself, or a copy.
  fileprivate final var untyped: NSFetchRequest<any NSFetchRequestResult> {
    .converted(from: self) ?? NSFetchRequest<any NSFetchRequestResult>(self)
  }
}
