import DataModels
import Foundation

/// Statistics of a store's contents, computed by SQLite in one pass per table.
package struct StoreStatistics: Sendable {
  /// The rows of exactly one entity.
  package struct Entity: Sendable {
    package let name: String
    package let table: String
    /// The number of rows; nil if they can't be counted.
    package let rows: Int?
    package internal(set) var attributes: [Attribute] = []
    package internal(set) var relationships: [Relationship] = []
  }

  /// The values of an attribute, or of a composite's element by its path.
  package struct Attribute: Sendable {
    package let name: String
    /// The number of rows without a value.
    package let nulls: Int
    /// The minimum and the maximum value; nil if there are no values, or their order has no meaning.
    package let range: (least: ListedValue, greatest: ListedValue)?
    /// The number of true values, for a Boolean.
    package let trues: Int?
    /// The total size of binary values in bytes, without external files.
    package let bytes: Int64?
  }

  /// The number of objects in a relationship.
  package struct Relationship: Sendable {
    package let name: String
    /// Numbers of members, and the number of rows that have as many; ascending.
    package let counts: [(members: Int, owners: Int)]
  }

  /// The pages of a table and its indexes.
  package struct Table: Sendable {
    package let name: String
    package let bytes: Int64
    package let indexBytes: Int64
  }

  /// The non-abstract entities, sorted by name.
  package private(set) var entities: [Entity] = []
  /// The tables, sorted by name; nil if they can't be read.
  package private(set) var tables: [Table]?
  /// Whether the sizes of tables are estimated from their values, because SQLite can't determine their pages.
  package private(set) var areTablesEstimated = false
  /// The size of the file.
  package private(set) var fileBytes: Int64 = 0
  /// The size of the file's free pages.
  package private(set) var freeBytes: Int64 = 0
  /// Descriptions of what couldn't be counted.
  package private(set) var problems: [String] = []

  /// Computes the statistics of a store. Unreadable content is recorded in ``problems``, and the rest is counted.
  package init(_ rows: StoreRows) {
    let connection = rows.connection
    for entity in rows.entities {
      let count = try? rows.count(of: entity)
      var counted = Entity(name: entity.name, table: entity.table, rows: count)
      if count == nil { problems.append("\(entity.name): its rows can't be counted") }
      if let count, count > 0 {
        do {
          counted.attributes = try Self.attributes(of: entity, count, connection)
          counted.relationships = try Self.relationships(of: entity, count, rows)
        } catch {
          problems.append("\(entity.name): \((error as? SQLiteError)?.message ?? "\(error)")")
        }
      }
      entities.append(counted)
    }
    tables = try? Self.tables(connection)
    if tables == nil, let estimated = try? Self.estimatedTables(connection) {
      tables = estimated
      areTablesEstimated = true
    }
    let page = (try? connection.integer("PRAGMA page_size")) ?? 0
    func bytes(_ pragma: String) -> Int64 {
      let pages = (try? connection.integer("PRAGMA \(pragma)")) ?? 0
      let (product, overflow) = pages.multipliedReportingOverflow(by: page)
      return overflow ? 0 : product
    }
    fileBytes = bytes("page_count")
    freeBytes = bytes("freelist_count")
  }

  // MARK: Attributes

  private static func attributes(
    of entity: SchemaEntity, _ count: Int, _ connection: SQLiteConnection
  ) throws -> [Attribute] {
    let present = try PresentColumns(of: entity.table, in: connection)
    let columns = entity.attributes.filter { present.contains($0.value) }
      .sorted { NameOrder.precedes($0.key, $1.key) }
    var list: [Attribute] = []
    // A statement has a limited number of columns.
    for start in stride(from: 0, to: columns.count, by: 200) {
      let part = columns[start..<min(start + 200, columns.count)]
      let values = part.map { _, column in
        "count(\(column)), min(\(column)), max(\(column)), "
          + "sum(CASE WHEN typeof(\(column)) = 'blob' THEN length(\(column)) END), "
          + "sum(typeof(\(column)) <> 'blob' AND \(column) <> 0)"
      }.joined(separator: ", ")
      list += try connection.withStatement(
        "SELECT \(values) FROM \(entity.table) WHERE \(entity.ownRows())"
      ) { row in
        guard try row.step() else { return [] }
        return part.enumerated().map { place, pair in
          attribute(
            pair.key, of: entity.attributeType(pair.key) ?? .undefinedAttributeType, in: row,
            at: Int32(place * 5), count: count)
        }
      }
    }
    return list
  }

  private static func attribute(
    _ name: String, of type: NSAttributeType, in row: SQLiteStatement, at place: Int32, count: Int
  ) -> Attribute {
    let filled = Int(row.integer(at: place))
    let isBoolean = type == .booleanAttributeType
    var range: (ListedValue, ListedValue)?
    if !isBoolean, let least = value(in: row, at: place + 1, of: type),
      let greatest = value(in: row, at: place + 2, of: type)
    {
      range = (least, greatest)
    }
    return Attribute(
      name: name, nulls: max(0, count - filled), range: range,
      trues: isBoolean ? Int(row.integer(at: place + 4)) : nil,
      bytes: row.isNull(at: place + 3) || type == .UUIDAttributeType
        ? nil : row.integer(at: place + 3))
  }

  private static func value(
    in row: SQLiteStatement, at place: Int32, of type: NSAttributeType
  ) -> ListedValue? {
    switch row.type(at: place) {
    case .null, .blob: nil
    case .integer:
      type == .dateAttributeType ? .date(row.double(at: place)) : .integer(row.integer(at: place))
    case .real:
      type == .dateAttributeType ? .date(row.double(at: place)) : .real(row.double(at: place))
    case .text: row.text(at: place).map { .text($0) }
    }
  }

  // MARK: Relationships

  private static func relationships(
    of entity: SchemaEntity, _ count: Int, _ rows: StoreRows
  ) throws -> [Relationship] {
    var list: [Relationship] = []
    for name in (Array(entity.toOnes.keys) + Array(entity.toManys.keys))
      .sorted(by: NameOrder.precedes)
    {
      var counts: [(members: Int, owners: Int)] = []
      if let toOne = entity.toOnes[name] {
        let filled = Int(
          try rows.connection.integer(
            "SELECT count(\(toOne.key)) FROM \(entity.table) WHERE \(entity.ownRows())") ?? 0)
        counts = [(0, max(0, count - filled)), (1, filled)]
      } else if let storage = entity.toManys[name], let pairs = pairs(storage, rows.schema) {
        let sql =
          "SELECT n, count(*) FROM (SELECT \(pairs.key) k, count(*) n FROM \(pairs.table) "
          + "WHERE \(pairs.key) IS NOT NULL GROUP BY 1) JOIN \(entity.table) o ON o.Z_PK = k "
          + "WHERE \(entity.ownRows("o")) GROUP BY n ORDER BY n"
        try rows.connection.withStatement(sql) { row in
          while try row.step() {
            counts.append((Int(row.integer(at: 0)), Int(row.integer(at: 1))))
          }
        }
        let filled = counts.reduce(0) { $0 + $1.owners }
        counts.insert((0, max(0, count - filled)), at: 0)
      } else {
        continue
      }
      list.append(Relationship(name: name, counts: counts.filter { $0.owners > 0 }))
    }
    return list
  }

  /// The table that contains a relationship's members, and its column with the owners' keys.
  private static func pairs(
    _ storage: SchemaEntity.ToMany, _ schema: StoreSchema
  ) -> (table: String, key: String)? {
    switch storage {
    case .key(let column, _, _, let destination):
      return schema[number: destination].map { ($0.table, column) }
    case .join(let place, let isOwner, _):
      guard schema.joinTables.indices.contains(place) else { return nil }
      let table = schema.joinTables[place]
      return (table.name, isOwner ? table.ownerKey : table.inverseKey)
    }
  }

  // MARK: Sizes

  static func tables(_ connection: SQLiteConnection) throws -> [Table] {
    let sql =
      "SELECT coalesce(m.tbl_name, d.name), "
      + "sum(CASE WHEN m.type = 'index' THEN 0 ELSE d.pgsize END), "
      + "sum(CASE WHEN m.type = 'index' THEN d.pgsize ELSE 0 END) "
      + "FROM dbstat d LEFT JOIN sqlite_master m ON m.name = d.name "
      + "WHERE d.aggregate = 1 GROUP BY 1 ORDER BY 1"
    return try connection.withStatement(sql) { row in
      var tables: [Table] = []
      while try row.step() {
        tables.append(
          Table(
            name: row.text(at: 0) ?? "", bytes: row.integer(at: 1), indexBytes: row.integer(at: 2)))
      }
      return tables
    }
  }
}
