import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// Reading rows.
extension PostgreSQLEngine {
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    let shape = try tables.shape(
      query.layout, includesSubentities: query.includesSubentities)
    let fetch = FetchStatement(
      query, shape, tables, reference, columns: query.keysOnly ? shape.keyColumns : nil)
    var sent = 0
    let isComputed = query.predicate != nil || !query.sortDescriptors.isEmpty
    do {
      try send(fetch.statement, shape, isComputed: isComputed, to: sink, count: &sent)
      return fetch.isComplete
    } catch let error as PostgreSQLError where error.exceedsServer && sent == 0 {
      // A number that overflows the server's arithmetic, for example: the context evaluates it.
      let all = FetchStatement(query, shape, tables, reference, usesPredicate: false)
      try translatingErrors(NSPersistentStoreOperationError) {
        try send(all.statement, shape, to: sink, count: &sent)
      }
      return all.isComplete
    } catch let error as PostgreSQLError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
  }

  func count(_ query: RowQuery) throws -> Int? {
    let shape = try tables.shape(
      query.layout, includesSubentities: query.includesSubentities)
    let fetch = FetchStatement(query, shape, tables, reference, columns: "1", isCount: true)
    guard fetch.isComplete else { return nil }
    var count: Int64 = 0
    do {
      try withRawConnection { connection in
        try ask(connection, fetch.statement) { count = try $0.integer(0) }
      }
    } catch let error as PostgreSQLError where error.exceedsServer {
      return nil
    } catch let error as PostgreSQLError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
    return Int(count)
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    let shape = try tables.shape(id.layout.root)
    var parameters = PostgreSQLParameters()
    parameters.append(id.key)
    return try send(
      PostgreSQLConnection.Statement(
        "SELECT \(shape.columns) FROM \(shape.table.name) t0 WHERE t0.\(SQL.key) = $1", parameters),
      shape, to: sink) > 0
  }

  func fetchRows(_ keys: [Int64], of root: EntityLayout, into sink: any RowSink) throws -> Bool {
    let shape = try tables.shape(root)
    var parameters = PostgreSQLParameters()
    parameters.append(keys: keys)
    try send(
      PostgreSQLConnection.Statement(
        "SELECT \(shape.columns) FROM \(shape.table.name) t0 WHERE t0.\(SQL.key) = ANY ($1) "
          + "ORDER BY t0.\(SQL.key)", parameters), shape, to: sink)
    return true
  }

  // MARK: To-many relationships

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    guard let members = try members(id.layout, property) else { return }
    var parameters = PostgreSQLParameters()
    parameters.append(id.key)
    try send(
      PostgreSQLConnection.Statement(
        "SELECT \(members.shape.columns) FROM \(members.from) WHERE \(members.owner) = $1 "
          + "ORDER BY \(members.order)", parameters), members.shape, to: sink)
  }

  func fetchDestinations(
    ofMany owners: [Int64]?, _ layout: EntityLayout, _ property: PropertyLayout,
    into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool {
    guard let members = try members(layout, property) else { return false }
    let shape = members.shape
    var parameters = PostgreSQLParameters()
    var sql = "SELECT \(shape.columns), \(members.owner) FROM \(members.from)"
    if let owners {
      parameters.append(keys: owners)
      sql += " WHERE \(members.owner) = ANY ($1)"
    } else {
      sql += " WHERE \(members.owner) IS NOT NULL"
    }
    if property.isOrdered { sql += " ORDER BY \(members.order)" }
    var decoder = RowDecoder(store: reference, layouts: tables.layouts)
    var isStarted = false
    try withConnection(isStarted: { isStarted }) { connection in
      try connection.run(PostgreSQLConnection.Statement(sql, parameters)) { row in
        isStarted = true
        guard owner(try row.integer(shape.columnCount)) else { return }
        try Self.send(row, shape, &decoder, to: sink)
      }
    }
    return true
  }

  private struct Members {
    let shape: RowShape
    let from: String
    let owner: String
    let order: String
  }

  /// Returns the location of a to-many relationship's members.
  private func members(
    _ layout: EntityLayout, _ property: PropertyLayout
  ) throws -> Members? {
    guard let storage = try tables.table(layout).entity.toManys[property.name],
      let destination = property.destinationLayout
    else { return nil }
    let shape = try tables.shape(destination)
    let name = shape.table.name
    switch storage {
    case .key(let table, let column, let position):
      let columns = tables.schema.tables[table].columns
      let order =
        position.map { "t0.\(SQL.quoted(columns[$0].name)) NULLS FIRST, " } ?? ""
      return Members(
        shape: shape, from: "\(name) t0", owner: "t0.\(SQL.quoted(columns[column].name))",
        order: "\(order)t0.\(SQL.key)")
    case .join(let index, let isOwner):
      let join = tables.schema.joinTables[index]
      let order =
        join.position(isOwner: isOwner).map { "j.\(SQL.quoted($0)) NULLS FIRST, " } ?? ""
      return Members(
        shape: shape,
        from: "\(SQL.quoted(join.name)) j JOIN \(name) t0 ON t0.\(SQL.key) = "
          + "j.\(SQL.quoted(join.otherColumn(isOwner: isOwner)))",
        owner: "j.\(SQL.quoted(join.ownColumn(isOwner: isOwner)))", order: "\(order)t0.\(SQL.key)")
    }
  }

  // MARK: Rows

  /// Runs a statement, passes its rows to a sink, and returns their number.
  @discardableResult
  private func send(
    _ statement: PostgreSQLConnection.Statement, _ shape: RowShape, to sink: any RowSink
  ) throws -> Int {
    var count = 0
    try translatingErrors(NSPersistentStoreOperationError) {
      try send(statement, shape, to: sink, count: &count)
    }
    return count
  }

  private func send(
    _ statement: PostgreSQLConnection.Statement, _ shape: RowShape, isComputed: Bool = false,
    to sink: any RowSink, count: inout Int
  ) throws {
    // A copy reads whole tables, and makes no objects of the rows.
    let streams = batchConnection != nil
    var decoder = RowDecoder(store: reference, layouts: tables.layouts)
    var sent = count
    defer { count = sent }
    try withRawConnection(isStarted: { sent > 0 }) { connection in
      func pass(_ row: PostgreSQLRow) throws {
        sent += 1
        try Self.send(row, shape, &decoder, to: sink)
      }
      if isComputed {
        // Whether the server can compute it for all rows is known before any of them is passed.
        try ask(connection, statement, pass)
      } else {
        try connection.run(statement, streams: streams, pass)
      }
    }
  }

  private static func send(
    _ row: PostgreSQLRow, _ shape: RowShape, _ decoder: inout RowDecoder, to sink: any RowSink
  ) throws {
    let reader = try shape.reader(of: row)
    guard
      let slot = sink.beginRow(
        of: reader.layout, key: try row.integer(0), version: try row.integer(1))
    else { return }
    try decoder.fill(slot, from: row, reader, in: sink)
  }
}
