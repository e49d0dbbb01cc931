import DataModels
import Foundation

/// A store's persistent history as plain data: its transactions, and the changes of each.
package struct StoreHistoryListing: Sendable {
  /// A transaction: one save.
  package struct Transaction: Sendable {
    package let number: Int64
    /// The time of the save, in seconds since 2001; nil if it isn't recorded.
    package let timestamp: Double?
    package let author: String?
    package let contextName: String?
    package let process: String?
    package let bundle: String?
    package internal(set) var changes: [Change] = []
  }

  /// The change of one object in a save.
  package struct Change: Sendable {
    package let number: Int64
    /// `insert`, `update` or `delete`; otherwise the number.
    package let kind: String
    /// The object's name, such as `Author/p2`.
    package let object: String
    /// For an update, the properties that changed.
    package let properties: [String]
    /// For a deletion, the preserved values, by attribute.
    package let tombstone: [(name: String, value: ListedValue)]
  }

  /// The transactions, oldest first; nil for a store without history.
  package let transactions: [Transaction]?

  /// Reads the history, without changing the store or its folder.
  package init(_ url: URL, model: NSManagedObjectModel, framework: Int?) throws {
    transactions = try SQLiteConnection.inspecting(url) { connection -> [Transaction]? in
      guard try connection.hasTable("ACHANGE"), try connection.hasTable("ATRANSACTION") else {
        return nil
      }
      let schema = try StoreSchema(
        model: model, version: FrameworkVersion(recorded: framework))
      var reader = try ChangeReader(
        connection: connection, schema: schema, layouts: ModelLayout.of(model),
        external: ExternalData(store: url))
      return try Self.transactions(connection, &reader)
    }
  }

  /// The transactions with their changes.
  private static func transactions(
    _ connection: SQLiteConnection, _ reader: inout ChangeReader
  ) throws -> [Transaction] {
    var transactions = try Self.transactions(connection)
    let places = Dictionary(
      transactions.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
    try reader.forEach { change, transaction in
      if let place = places[transaction] { transactions[place].changes.append(change) }
    }
    return transactions
  }

  private static func transactions(_ connection: SQLiteConnection) throws -> [Transaction] {
    let texts = try ["ZAUTHOR", "ZCONTEXTNAME", "ZPROCESSID", "ZBUNDLEID"].map {
      try HistorySchema.text($0, in: connection)
    }
    return try connection.withStatement(
      "SELECT t.Z_PK, t.ZTIMESTAMP, \(texts.joined(separator: ", ")) FROM ATRANSACTION t "
        + "ORDER BY t.Z_PK"
    ) { row in
      var list: [Transaction] = []
      while try row.step() {
        list.append(
          Transaction(
            number: row.integer(at: 0),
            timestamp: row.isNull(at: 1) ? nil : row.double(at: 1),
            author: row.text(at: 2), contextName: row.text(at: 3), process: row.text(at: 4),
            bundle: row.text(at: 5)))
      }
      return list
    }
  }
}

/// Reads changes, and resolves the names of entities and columns.
private struct ChangeReader {
  private let connection: SQLiteConnection
  private let schema: StoreSchema
  private let layouts: ModelLayout
  private let external: ExternalData
  private let tombstones: Int
  private var columns: [Int: ChangedColumns] = [:]

  init(
    connection: SQLiteConnection, schema: StoreSchema, layouts: ModelLayout, external: ExternalData
  ) throws {
    self.connection = connection
    self.schema = schema
    self.layouts = layouts
    self.external = external
    tombstones = try connection.tombstoneCount
  }

  mutating func forEach(
    _ body: (StoreHistoryListing.Change, _ transaction: Int64) -> Void
  ) throws {
    let kept = (0..<tombstones).map { ", ZTOMBSTONE\($0)" }.joined()
    let statement = try connection.prepare(
      "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(kept) FROM ACHANGE "
        + "ORDER BY Z_PK")
    while try statement.step() {
      let number = Int(truncatingIfNeeded: statement.integer(at: 2))
      let entity = schema[number: number]
      let kind = statement.integer(at: 1)
      let bits = statement.blob(at: 5)
      body(
        StoreHistoryListing.Change(
          number: statement.integer(at: 0),
          kind: (0...2).contains(kind) ? ["insert", "update", "delete"][Int(kind)] : "\(kind)",
          object: "\(entity?.name ?? "entity \(number)")/p\(statement.integer(at: 3))",
          properties: bits.flatMap { bits in entity.map { names(bits, $0) } } ?? [],
          tombstone: kind == 2 ? entity.map { tombstone(statement, $0) } ?? [] : []),
        statement.integer(at: 4))
    }
  }

  private mutating func names(_ bits: Data, _ entity: SchemaEntity) -> [String] {
    if columns[entity.number] == nil, let layout = layouts[entity.name] {
      columns[entity.number] = ChangedColumns(
        layout: layout, entity: entity, table: schema.table(entity.table))
    }
    return columns[entity.number]?.names(in: Array(bits)) ?? []
  }

  private func tombstone(
    _ row: SQLiteStatement, _ entity: SchemaEntity
  ) -> [(name: String, value: ListedValue)] {
    guard let layout = layouts[entity.name] else { return [] }
    let kept = HistoryWriter.tombstoneProperties(of: layout).prefix(tombstones)
    return kept.enumerated().compactMap { index, property in
      guard let attribute = property.description as? NSAttributeDescription else { return nil }
      let value = ListedValue(row, Int32(6 + index), attribute.attributeType)
      if case .null = value { return nil }
      guard case .bytes(let data) = value, attribute.allowsExternalBinaryDataStorage else {
        return (property.name, value)
      }
      // Of a file that was removed with the row, its name is left.
      return (property.name, .bytes((try? external.value(of: data)) ?? data))
    }
  }
}
