import Foundation
import ManagedModel
import ManagedObjects

/// Reading rows.
extension SQLiteEngine {
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    let shape = try shape(query.layout, includesSubentities: query.includesSubentities)
    let statement = try FetchStatement(query, shape, engine: self)
    try translatingErrors {
      try connection.withStatement(statement.sql) { row in
        try statement.bind(to: row)
        try pass(row, shape, to: sink)
      }
    }
    return statement.isComplete
  }

  func count(_ query: RowQuery) throws -> Int? {
    let shape = try shape(query.layout, includesSubentities: query.includesSubentities)
    let statement = try FetchStatement(query, shape, engine: self, isCount: true)
    guard statement.isComplete else { return nil }
    return try translatingErrors {
      try connection.withStatement(statement.sql) { row in
        try statement.bind(to: row)
        return try row.step() ? Int(row.integer(at: 0)) : 0
      }
    }
  }

  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [[String: Any]]? {
    guard let statement = try DictionaryStatement(query, plan, engine: self) else { return nil }
    return try translatingErrors { try statement.run() }
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    let shape = try shape(id.layout.root)
    return try translatingErrors {
      try connection.withStatement(shape.rowSQL) { row in
        try row.bind(id.key, at: 1)
        return try pass(row, shape, to: sink) > 0
      }
    }
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    guard let storage = try entity(id.layout).toManys[property.name] else { return }
    guard let destination = layouts[storage.destinationNumber - 1] else { return }
    let shape = try shape(destination)
    let sql = "\(shape.select) \(storage.condition(schema, isOrdered: property.isOrdered))"
    try translatingErrors {
      try connection.withStatement(sql) { row in
        try row.bind(id.key, at: 1)
        try pass(row, shape, to: sink)
      }
    }
  }

  /// Hands every row of a statement to a sink, and tells how many there were.
  @discardableResult
  private func pass(_ row: SQLiteStatement, _ shape: RowShape, to sink: any RowSink) throws -> Int {
    var decoder = RowDecoder(store: reference, layouts: layouts, externalData: externalData)
    var count = 0
    while try row.step() {
      guard let reader = shape.reader(row.integer(at: 1)) else {
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleSchemaError,
          "A row has the entity number \(row.integer(at: 1)), which no entity of its table has.",
          [NSFilePathErrorKey: connection.path])
      }
      count += 1
      let isWanted = sink.wantsValues(
        of: reader.layout, key: row.integer(at: 0), version: row.integer(at: 2))
      if isWanted { sink.take(try decoder.values(row, reader)) }
    }
    return count
  }
}

extension SchemaEntity.ToMany {
  /// The number of the entity the relationship leads to.
  var destinationNumber: Int {
    switch self {
    case .key(_, _, _, let destination), .join(_, _, let destination): destination
    }
  }

  /// What follows a `SELECT … FROM ZT t0` to give the destinations of the object whose key is the
  /// first parameter, in the relationship's order.
  func condition(_ schema: StoreSchema, isOrdered: Bool) -> String {
    switch self {
    case .key(let key, _, let order, _):
      let sorted = isOrdered ? order.map { "t0.\($0), t0.Z_PK" } : nil
      return "WHERE t0.\(key) = ?1 ORDER BY \(sorted ?? "t0.Z_PK")"
    case .join(let index, let isOwner, _):
      let join = schema.joinTables[index]
      let (own, other) =
        isOwner ? (join.ownerKey, join.inverseKey) : (join.inverseKey, join.ownerKey)
      if join.isReflexive {
        // Rows stand for both directions, and only some have their mirror image.
        return """
          WHERE t0.Z_PK IN (SELECT \(other) FROM \(join.name) WHERE \(own) = ?1 UNION \
          SELECT \(own) FROM \(join.name) WHERE \(other) = ?1) ORDER BY t0.Z_PK
          """
      }
      let order = isOwner ? join.inverseOrder : join.ownerOrder
      let sorted = isOrdered ? order.map { "j.\($0), t0.Z_PK" } : nil
      return "JOIN \(join.name) j ON j.\(other) = t0.Z_PK WHERE j.\(own) = ?1 "
        + "ORDER BY \(sorted ?? "t0.Z_PK")"
    }
  }
}
