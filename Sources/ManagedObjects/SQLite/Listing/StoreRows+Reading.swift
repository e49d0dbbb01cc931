import DataModels
import Foundation
import PredicateFormat

/// A selection of rows, and their order.
package struct RowSelection {
  /// The condition; nil for all rows.
  package var predicate: NSPredicate?
  /// The sort order; equal rows, or all if it is empty, are ordered by key.
  package var sortDescriptors: [NSSortDescriptor] = []
  /// The maximum number of rows; 0 for all.
  package var limit = 0
  /// The number of rows to skip first.
  package var offset = 0
  /// The properties to list, in this order; nil for all, sorted by name.
  package var names: [String]?

  package init() {}
}

extension StoreRows {
  /// Calls `body` with each row of exactly this entity, ordered by key.
  func forEach(
    of entity: SchemaEntity, _ body: (RowListing, SQLiteStatement) throws -> Void
  ) throws {
    let listing = try RowListing(self, entity, present: presentColumns(of: entity))
    try forEach(of: entity, listing) { try body(listing, $0) }
  }

  /// Calls `body` with each row of exactly this entity, ordered by key, with the columns of a listing.
  func forEach(
    of entity: SchemaEntity, _ listing: RowListing, _ body: (SQLiteStatement) throws -> Void
  ) throws {
    let condition = entity.ownRows("t0")
    let sql =
      "SELECT \(listing.columnList) FROM \(entity.table) t0\(keepsGoing ? " NOT INDEXED" : "") "
      + "WHERE \(condition)"
    try ReadableRows(
      rows: self, entity: entity, condition: condition, all: sql + " ORDER BY t0.Z_PK",
      one: sql + " AND t0.Z_PK = ?1"
    ).forEach(body)
  }

  /// Calls `body` with the selected rows of an entity and its subentities.
  func forEach(
    of entity: SchemaEntity, selected selection: RowSelection,
    _ body: (RowListing, SQLiteStatement) throws -> Void
  ) throws {
    let listing = try RowListing(
      self, entity, names: selection.names, present: presentColumns(of: entity))
    let engine = try predicateEngine()
    guard let layout = engine.layouts[entity.number - 1] else { return }
    var query = RowQuery(
      layout: layout, predicate: selection.predicate, sortDescriptors: selection.sortDescriptors,
      limit: selection.limit, offset: selection.offset)
    if EntityAggregates(query.predicate, of: layout) != nil {
      query = try readingContext().resolvingAggregates(of: query, includesPendingChanges: false)
    }
    if keepsGoing {
      return try SalvagedSelection(self, of: entity, query: query, listing: listing)
        .forEach { try body(listing, $0) }
    }
    let statement = try FetchStatement(
      query, engine.shape(layout), engine: engine, columns: listing.columnList,
      isOrderedByKey: true)
    guard statement.isComplete else {
      for key in try keys(of: query, entity) {
        try connection.withStatement(
          "SELECT \(listing.columnList) FROM \(entity.table) t0 WHERE t0.Z_PK = ?1"
        ) { row in
          try row.bind(key, at: 1)
          if try row.step() { try body(listing, row) }
        }
      }
      return
    }
    try engine.evaluating(query.predicateText) {
      try connection.withStatement(statement.sql) { row in
        try statement.bind(to: row)
        while try row.step() { try body(listing, row) }
      }
    }
  }

  /// The keys of rows for a condition or sort order that SQL can't express, evaluated with objects.
  func keys(of query: RowQuery, _ entity: SchemaEntity) throws -> [Int64] {
    let context = try readingContext()
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
    if let store = context.persistentStoreCoordinator?.persistentStores.first?.reference {
      // Objects named in the condition belong to these rows' own connection, which counts as a separate store.
      request.predicate =
        query.predicate?.tree.mapLeaves { leaf in
          guard case .constant(let value) = leaf else { return leaf }
          return .constant(Self.moved(value, to: store))
        }.predicate
    }
    request.sortDescriptors = query.sortDescriptors
    request.fetchLimit = query.limit
    request.fetchOffset = query.offset
    return try context.fetch(request).map(\.objectID.key)
  }

  private static func moved(_ value: PredicateValue, to store: StoreReference) -> PredicateValue {
    switch value {
    case .object(let object):
      guard let id = object.base as? NSManagedObjectID else { return value }
      return .object(
        OpaqueObject(NSManagedObjectID(layout: id.layout, store: store, key: id.key)))
    case .array(let members): return .array(members.map { moved($0, to: store) })
    case .set(let members): return .set(members.map { moved($0, to: store) })
    default: return value
    }
  }

  /// A context that reads the store as it is.
  private func readingContext() throws -> NSManagedObjectContext {
    try refuseViews()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true,
      ])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// The ID of an object of this store, for conditions; nil if there is no such entity.
  package func objectID(entity name: String, key: Int64) throws -> NSManagedObjectID? {
    let engine = try predicateEngine()
    guard let number = schema[name]?.number, let layout = engine.layouts[number - 1] else {
      return nil
    }
    return NSManagedObjectID(layout: layout, store: engine.reference, key: key)
  }
}
