import DataModels
import Foundation

/// Decodes transactions and changes from history rows.
struct HistoryReader {
  private let engine: SQLiteEngine
  private let tombstoneCount: Int
  private var columns: [Int: ChangedColumns] = [:]

  init(_ engine: SQLiteEngine) throws {
    self.engine = engine
    tombstoneCount = try engine.connection.tombstoneCount
  }

  mutating func transactions(
    _ query: HistoryQuery
  ) throws -> [NSPersistentHistoryTransaction] {
    let condition =
      switch query.after {
      case .beginning: "1"
      case .number: "Z_PK > ?"
      case .date: "ZTIMESTAMP > ?"
      }
    func bind(_ row: SQLiteStatement) throws {
      switch query.after {
      case .beginning: break
      case .number(let number): try row.bind(number, at: 1)
      case .date(let date): try row.bind(date.timeIntervalSinceReferenceDate, at: 1)
      }
    }
    let texts = try ["ZBUNDLEID", "ZPROCESSID", "ZCONTEXTNAME", "ZAUTHOR"].map {
      try HistorySchema.text($0, in: engine.connection)
    }
    var found: [NSPersistentHistoryTransaction] = []
    try engine.connection.withStatement(
      """
      SELECT Z_PK, ZTIMESTAMP, \(texts.joined(separator: ", ")) FROM ATRANSACTION t \
      WHERE \(condition) ORDER BY Z_PK
      """
    ) { row in
      try bind(row)
      while try row.step() { found.append(transaction(row)) }
    }
    guard query.includesChanges, !found.isEmpty else { return found }
    let bare = Dictionary(
      found.map { ($0.transactionNumber, $0) }, uniquingKeysWith: { first, _ in first })
    var changes: [Int64: [NSPersistentHistoryChange]] = [:]
    let tombstones = (0..<tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
    try engine.connection.withStatement(
      """
      SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(tombstones) \
      FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition)) \
      ORDER BY ZTRANSACTIONID, Z_PK
      """
    ) { row in
      try bind(row)
      while try row.step() {
        let number = row.integer(at: 1)
        guard let transaction = bare[number], let change = try change(row, transaction) else {
          continue
        }
        changes[number, default: []].append(change)
      }
    }
    return found.map { $0.with(changes[$0.transactionNumber] ?? []) }
  }

  private func transaction(_ row: SQLiteStatement) -> NSPersistentHistoryTransaction {
    NSPersistentHistoryTransaction(
      number: row.integer(at: 0),
      timestamp: Date(timeIntervalSinceReferenceDate: row.double(at: 1)),
      storeID: engine.reference.identifier, bundleID: row.text(at: 2),
      processID: row.text(at: 3), contextName: row.text(at: 4), author: row.text(at: 5))
  }

  /// The change in a row; nil for an entity that isn't in the model.
  private mutating func change(
    _ row: SQLiteStatement, _ transaction: NSPersistentHistoryTransaction
  ) throws -> NSPersistentHistoryChange? {
    let number = Int(truncatingIfNeeded: row.integer(at: 3))
    guard engine.layouts.indices.contains(number &- 1), let layout = engine.layouts[number &- 1],
      let type = NSPersistentHistoryChangeType(
        rawValue: Int(truncatingIfNeeded: row.integer(at: 2)))
    else { return nil }
    var updated: Set<NSPropertyDescription>?
    if let bits = row.blob(at: 5) {
      updated = Set(
        try changedColumns(number, layout).names(in: bits).compactMap {
          layout.propertiesByName[$0]?.description
        })
    }
    return NSPersistentHistoryChange(
      id: row.integer(at: 0), type: type,
      object: NSManagedObjectID(
        layout: layout, store: engine.reference, key: row.integer(at: 4)),
      updated: updated, tombstone: type == .delete ? tombstone(row, layout) : nil,
      transaction: transaction)
  }

  private mutating func changedColumns(
    _ number: Int, _ layout: EntityLayout
  ) throws -> ChangedColumns {
    if let known = columns[number] { return known }
    let entity = try engine.entity(layout)
    let made = ChangedColumns(
      layout: layout, entity: entity, table: engine.schema.table(entity.table))
    columns[number] = made
    return made
  }

  private func tombstone(
    _ row: SQLiteStatement, _ layout: EntityLayout
  ) -> [AnyHashable: Any]? {
    let kept = HistoryWriter.tombstoneProperties(of: layout).prefix(tombstoneCount)
    guard !kept.isEmpty else { return nil }
    var decoder = RowDecoder(
      store: engine.reference, layouts: engine.layouts, externalData: engine.externalData)
    var tombstone: [AnyHashable: Any] = [:]
    for (index, property) in kept.enumerated() {
      guard let attribute = property.description as? NSAttributeDescription else { continue }
      let column = Int32(6 + index)
      let field =
        attribute.allowsExternalBinaryDataStorage
        ? RowField.data(column: column) : RowField.attribute(attribute, column: column)
      // Whatever an older version or another framework wrote there must not make history unreadable: a value that
      // isn't one of the attribute's type is left out.
      let reader = RowShape.Reader(layout: layout, fields: [field])
      guard let value = try? decoder.values(row, reader).first else { continue }
      tombstone[property.name] = object(value, property)
    }
    return tombstone
  }

  private func object(_ value: StoredValue, _ property: PropertyLayout) -> Any? {
    guard case .data(let data) = value,
      let attribute = property.description as? NSAttributeDescription
    else { return AttributeCodec.object(value, type: property.attributeType) }
    if attribute.attributeType == .transformableAttributeType {
      return AttributeTransformer.value(of: data, for: attribute) ?? data
    }
    // So are bytes that aren't in the form of such a value, but as they are.
    return attribute.allowsExternalBinaryDataStorage
      ? (try? engine.externalData.value(of: data)) ?? data : data
  }
}
