import DataModels
import Foundation
import PredicateFormat

/// Which rows are read, and in which order.
package struct RowSelection {
  /// A condition; nil for all rows.
  package var predicate: NSPredicate?
  /// The order; equal rows, or all when it is empty, are in the order of their keys.
  package var sortDescriptors: [NSSortDescriptor] = []
  /// How many at most; 0 for all.
  package var limit = 0
  /// How many are left out first.
  package var offset = 0
  /// The properties to list, in this order; nil for all, in the order of their names.
  package var names: [String]?

  package init() {}
}

extension StoreRows {
  /// Hands each row of exactly this entity to `body`, in the order of the keys.
  func forEach(
    of entity: SchemaEntity, _ body: (RowListing, SQLiteStatement) throws -> Void
  ) throws {
    let listing = try RowListing(self, entity, present: presentColumns(of: entity))
    let condition = "t0.Z_ENT = \(entity.number)"
    let sql =
      "SELECT \(listing.columnList) FROM \(entity.table) t0\(keepsGoing ? " NOT INDEXED" : "") "
      + "WHERE \(condition)"
    try ReadableRows(
      rows: self, entity: entity, condition: condition, all: sql + " ORDER BY t0.Z_PK",
      one: sql + " AND t0.Z_PK = ?1"
    ).forEach { try body(listing, $0) }
  }

  /// Hands the rows of an entity and those below it that are selected to `body`.
  func forEach(
    of entity: SchemaEntity, selected selection: RowSelection,
    _ body: (RowListing, SQLiteStatement) throws -> Void
  ) throws {
    let listing = try RowListing(
      self, entity, names: selection.names, present: presentColumns(of: entity))
    let engine = try predicateEngine()
    guard let layout = engine.layouts[entity.number - 1] else { return }
    let query = RowQuery(
      layout: layout, predicate: selection.predicate, sortDescriptors: selection.sortDescriptors,
      limit: selection.limit, offset: selection.offset)
    if keepsGoing {
      return try SalvagedSelection(self, entity, query, listing).forEach { try body(listing, $0) }
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

  /// The keys of the rows that a condition selects which SQL can't say, or in an order that it can't make:
  /// asked of objects.
  func keys(of query: RowQuery, _ entity: SchemaEntity) throws -> [Int64] {
    let context = try readingContext()
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
    if let store = context.persistentStoreCoordinator?.persistentStores.first?.reference {
      // The objects that a condition names are of the rows' own connection, which is a store by itself.
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

  /// A context over the store as it lies.
  private func readingContext() throws -> NSManagedObjectContext {
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

  /// The identity of an object of this store, for conditions; nil when there is no such entity.
  package func objectID(entity name: String, key: Int64) throws -> NSManagedObjectID? {
    let engine = try predicateEngine()
    guard let number = schema[name]?.number, let layout = engine.layouts[number - 1] else {
      return nil
    }
    return NSManagedObjectID(layout: layout, store: engine.reference, key: key)
  }
}
