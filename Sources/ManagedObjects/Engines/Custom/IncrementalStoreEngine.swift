import DataModels
import Foundation

/// The engine of an incremental store, which forwards requests to it.
final class IncrementalStoreEngine: CustomStoreEngine, DictionaryEngine {
  private unowned let store: NSIncrementalStore
  private weak var coordinator: NSPersistentStoreCoordinator?
  let reference: StoreReference
  /// The rows that were saved, and couldn't be read then: how the store counts their versions isn't known.
  private var uncounted: Set<NSManagedObjectID> = []

  init(_ store: NSIncrementalStore, _ coordinator: NSPersistentStoreCoordinator) {
    self.store = store
    self.coordinator = coordinator
    reference = store.reference
  }

  /// A context for the duration of one call, in which the store creates objects for IDs.
  private func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  // MARK: Reading

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    let context = context()
    let found = try store.execute(request(query), with: context)
    let members = found as? [Any] ?? (found as? NSArray).map { $0.map { $0 } }
    guard let members else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "The store's result for a fetch isn't an array: \(type(of: found)).")
    }
    for member in members {
      guard let id = RelatedIdentities.id(of: member), id.storeReference === reference else {
        throw CoreDataError.make(
          NSPersistentStoreOperationError,
          "The store's result for a fetch contains something that isn't one of its objects: \(member)"
        )
      }
      // Another client may have deleted it since the store found it.
      _ = try sendIfPresent(id, context, to: sink)
    }
    return true
  }

  private func request(_ query: RowQuery) -> NSFetchRequest<NSFetchRequestResult> {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: query.layout.name)
    request.entity = query.layout.entity
    request.predicate = query.predicate
    if !query.sortDescriptors.isEmpty { request.sortDescriptors = query.sortDescriptors }
    request.fetchLimit = query.limit
    request.fetchOffset = query.offset
    request.includesSubentities = query.includesSubentities
    return request
  }

  /// The store may return a count, return the results to count, or leave counting to the context.
  func count(_ query: RowQuery) throws -> Int? {
    let request = request(query)
    request.resultType = .countResultType
    let answer = try store.execute(request, with: context())
    if let number = answer as? NSNumber { return number.intValue }
    guard let members = answer as? [Any] else { return nil }
    if members.count == 1, let number = members[0] as? NSNumber { return number.intValue }
    return members.allSatisfy { RelatedIdentities.id(of: $0) != nil } ? members.count : nil
  }

  /// The store may return dictionaries, or leave that to the context.
  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [NSDictionary]? {
    let request = request(query)
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = plan.request.propertiesToFetch
    request.propertiesToGroupBy = plan.request.propertiesToGroupBy
    request.havingPredicate = plan.request.havingPredicate
    request.returnsDistinctResults = plan.request.returnsDistinctResults
    let answer = try store.execute(request, with: context())
    return answer as? [NSDictionary]
      ?? (answer as? [[String: Any]])?.map { NSDictionary(dictionary: $0) }
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    try sendIfPresent(id, context(), to: sink)
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    let context = context()
    guard let relationship = property.description as? NSRelationshipDescription else { return }
    let value: Any?
    do {
      // A node may have the destinations, or leave them to be asked for.
      let node = try store.newValuesForObject(with: id, with: context)
      value =
        try node.value(for: relationship)
        ?? store.newValue(forRelationship: relationship, forObjectWith: id, with: context)
    } catch  where Self.isMissingRow(error) {
      return
    }
    for id in RelatedIdentities.ids(in: value, property) {
      _ = try sendIfPresent(id, context, to: sink)
    }
  }

  /// Sends a row; returns false if the store says that there is none.
  private func sendIfPresent(
    _ id: NSManagedObjectID, _ context: NSManagedObjectContext, to sink: any RowSink
  ) throws -> Bool {
    do { try send(id, context, to: sink) } catch  where Self.isMissingRow(error) { return false }
    return true
  }

  /// Whether a store has thrown that there is no such row, rather than that it couldn't look.
  private static func isMissingRow(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && error.code == NSManagedObjectReferentialIntegrityError
  }

  private func send(
    _ id: NSManagedObjectID, _ context: NSManagedObjectContext, to sink: any RowSink
  ) throws {
    let row = try row(id, context)
    guard let slot = sink.beginRow(of: id.layout, key: id.key, version: row.version) else { return }
    sink.fill(slot, with: row.values)
  }

  private func row(_ id: NSManagedObjectID, _ context: NSManagedObjectContext) throws -> StoredRow {
    let node = try store.newValuesForObject(with: id, with: context)
    return StoredRow(
      layout: id.layout, key: id.key, version: Int64(clamping: node.version),
      values: try id.layout.values.map { try value(of: $0, node, context) })
  }

  private func value(
    of property: PropertyLayout, _ node: NSIncrementalStoreNode, _ context: NSManagedObjectContext
  ) throws -> StoredValue {
    guard !property.isTransient else { return .null }
    var value = node.value(for: property.description)
    guard property.kind == .toOne else {
      return try stored(value, property, of: node.objectID.layout)
    }
    if value == nil, let relationship = property.description as? NSRelationshipDescription {
      value = try store.newValue(
        forRelationship: relationship, forObjectWith: node.objectID, with: context)
    }
    return RelatedIdentities.id(of: value).map { .reference($0) } ?? .null
  }

  // MARK: Writing

  func keys(for objects: [NSManagedObject]) throws -> [Int64] {
    let ids = try store.obtainPermanentIDs(for: objects)
    guard ids.count == objects.count, ids.allSatisfy({ $0.storeReference === reference }) else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "The store gave \(ids.count) identities for \(objects.count) new objects.")
    }
    return ids.map(\.key)
  }

  func prepare(_ changes: ChangedObjects) throws -> any PreparedSave {
    let context = context()
    var conflicts = SaveConflicts()
    for object in changes.updated + changes.deleted + changes.guarded {
      // What the store doesn't find, it refuses or ignores when it saves; of what is deleted, that it can't look, too.
      let row =
        object.awaitsDeletion
        ? try? row(object.objectID, context) : try presentRow(object.objectID, context)
      guard let row, row.version != object.version else { continue }
      if uncounted.contains(object.objectID), isAsSaved(object, row) {
        object.version = row.version
      } else {
        conflicts.versions.append((object, row))
      }
    }
    guard conflicts.isEmpty else { throw conflicts }
    return DeferredSave { [self] in
      try send(changes)
      return nil
    }
  }

  /// A row; nil if the store says that there is none.
  private func presentRow(
    _ id: NSManagedObjectID, _ context: NSManagedObjectContext
  ) throws -> StoredRow? {
    do { return try row(id, context) } catch  where Self.isMissingRow(error) { return nil }
  }

  /// Whether a row has the values with which an object was saved last.
  private func isAsSaved(_ object: NSManagedObject, _ row: StoredRow) -> Bool {
    object.layout.values.allSatisfy {
      $0.isTransient || object.committedValue(at: $0.slot) == row.values[$0.slot]
    }
  }

  /// A save without changes is sent too, as in Core Data: the store may have something to write.
  func wantsSave(isEmpty: Bool) -> Bool { isEmpty || store.hasUnsavedMetadata }

  private func send(_ changes: ChangedObjects) throws {
    let request = NSSaveChangesRequest(
      inserted: Set(changes.inserted), updated: Set(changes.updated),
      deleted: Set(changes.deleted), locked: Set(changes.guarded))
    _ = try store.execute(request, with: changes.context)
    store.hasUnsavedMetadata = false
    // Only the store knows how it counts.
    let context = context()
    for object in changes.inserted + changes.updated {
      // What is saved is saved, whether or not it can be read now.
      guard let node = try? store.newValuesForObject(with: object.objectID, with: context) else {
        uncounted.insert(object.objectID)
        continue
      }
      uncounted.remove(object.objectID)
      object.version = Int64(clamping: node.version)
    }
  }

  func close() {}
}
