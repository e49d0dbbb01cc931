import DataModels
import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// How to select and read rows of an entity and its subentities.
final class RowShape {
  /// Where and how to read a value.
  enum Field {
    case none
    case integer(Int32)
    case boolean(Int32)
    case real(Int32)
    case decimal(Int32)
    case text(Int32)
    case url(Int32)
    case date(Int32)
    case uuid(Int32)
    case bytes(Int32)
    case json(Int32, NSCompositeAttributeDescription)
    /// The column of the key and, where the destination's entity isn't implied, the column of its name.
    case toOne(Int32, entity: Int32?, EntityLayout)
  }

  /// How to read rows of one entity.
  final class Reader {
    let layout: EntityLayout
    let fields: [Field]

    init(_ layout: EntityLayout, _ fields: [Field]) {
      (self.layout, self.fields) = (layout, fields)
    }
  }

  let table: EntityTable
  /// The `SELECT` list: key, version, entity, values.
  let columns: String
  /// The part of the list that identifies a row: key, version, entity.
  let keyColumns: String
  /// The number of columns.
  let columnCount: Int32
  /// The condition that limits a table to these rows.
  let condition: String?
  private let only: Reader?
  private let readers: [String: Reader]

  init(_ table: EntityTable, _ includesSubentities: Bool, _ tables: StoreTables) throws {
    self.table = table
    condition = table.condition("t0", includesSubentities: includesSubentities)
    let names =
      includesSubentities
      ? table.entity.rowEntities : table.entity.rowEntities.filter { $0 == table.layout.name }
    var selected = ["t0.\(SQL.key)", "t0.\(SQL.version)"]
    let isMixed = table.table.entityType != nil
    if isMixed { selected.append("t0.\(SQL.entity)") }
    keyColumns = selected.joined(separator: ", ")
    var places: [String: Int32] = [:]
    func place(_ sql: String) -> Int32 {
      if let known = places[sql] { return known }
      places[sql] = Int32(selected.count)
      selected.append(sql)
      return Int32(selected.count - 1)
    }
    var readers: [String: Reader] = [:]
    for name in names {
      guard let rows = tables.table(named: name) else { continue }
      let fields = rows.places.map { index -> Field in
        guard let index else { return .none }
        let slot = rows.slots[index]
        let column = place("t0.\(slot.name)")
        guard let destination = slot.property.destinationLayout else {
          return Self.field(slot, column)
        }
        guard let target = try? tables.table(destination), target.table.entityType != nil else {
          return .toOne(column, entity: nil, destination)
        }
        if target.entity.rowEntities.count == 1, let only = target.entity.rowEntities.first,
          let layout = tables.layouts[only]
        {
          return .toOne(column, entity: nil, layout)
        }
        let entity = place(
          "(SELECT e.\(SQL.entity) FROM \(target.name) e WHERE e.\(SQL.key) = t0.\(slot.name))")
        return .toOne(column, entity: entity, destination)
      }
      readers[rows.layout.label] = Reader(rows.layout, fields)
    }
    columns = selected.joined(separator: ", ")
    columnCount = Int32(selected.count)
    self.readers = readers
    only = isMixed ? nil : readers.values.first
  }

  static func field(_ slot: EntityTable.Slot, _ column: Int32) -> Field {
    switch slot.column.type {
    case .int16, .int32, .int64: .integer(column)
    case .boolean: .boolean(column)
    case .double, .float: .real(column)
    case .decimal: .decimal(column)
    case .text: .text(column)
    case .url: .url(column)
    case .date: .date(column)
    case .uuid: .uuid(column)
    case .bytes, .transformable: .bytes(column)
    case .json:
      (slot.property.description as? NSCompositeAttributeDescription).map { .json(column, $0) }
        ?? .none
    }
  }

  /// Returns the reader for a row.
  ///
  /// - Throws: an error if the row's entity isn't in the model or doesn't belong in this table.
  func reader(of row: PostgreSQLRow) throws -> Reader {
    if let only { return only }
    let name = row.text(2)
    if let reader = readers[name] { return reader }
    throw PostgreSQLStore.error(
      NSPersistentStoreIncompatibleSchemaError,
      "A row of the table \(table.name) is of the entity '\(name)', which the model doesn't have there."
    )
  }
}

/// Decodes rows into values.
struct RowDecoder {
  let store: StoreReference
  let layouts: ModelLayout
  /// The most recently used object IDs, by slot: adjacent rows often refer to the same object.
  private var recent: [NSManagedObjectID?] = []
  /// The values of the row that is being sent: the memory is used for each.
  private var current: [StoredValue] = []

  init(store: StoreReference, layouts: ModelLayout) {
    (self.store, self.layouts) = (store, layouts)
  }

  /// Passes a row's values to a sink that wants them.
  mutating func fill(
    _ slot: consuming RowSlot, from row: PostgreSQLRow, _ reader: RowShape.Reader,
    in sink: any RowSink
  ) throws {
    current.removeAll(keepingCapacity: true)
    try read(row, reader)
    sink.fill(slot, with: current)
  }

  /// Returns a row's values, by slot.
  mutating func values(_ row: PostgreSQLRow, _ reader: RowShape.Reader) throws -> [StoredValue] {
    current = []
    try read(row, reader)
    return current
  }

  private mutating func read(_ row: PostgreSQLRow, _ reader: RowShape.Reader) throws {
    current.reserveCapacity(reader.fields.count)
    for (slot, field) in reader.fields.enumerated() {
      do {
        current.append(try value(row, field, slot))
      } catch let error as PostgreSQLRow.Malformed {
        throw PostgreSQLStore.error(
          CocoaError.Code.fileReadCorruptFile.rawValue,
          "A value of '\(reader.layout.values[slot].name)' of \(reader.layout.name) can't be read: "
            + "\(error).",
          [
            "entity": reader.layout.name, "column": reader.layout.values[slot].name,
            "row": (try? row.integer(0)) ?? 0,
          ])
      }
    }
  }

  @inline(__always)
  mutating func value(
    _ row: PostgreSQLRow, _ field: RowShape.Field, _ slot: Int
  ) throws -> StoredValue {
    switch field {
    case .none: return .null
    case .integer(let column):
      return row.isNull(column) ? .null : .integer(try row.integer(column))
    case .boolean(let column):
      return row.isNull(column) ? .null : .integer(try row.boolean(column) ? 1 : 0)
    case .real(let column): return row.isNull(column) ? .null : .real(try row.double(column))
    case .text(let column): return row.isNull(column) ? .null : .text(row.text(column))
    case .date(let column):
      return row.isNull(column)
        ? .null : .real(PostgreSQLTimestamp.seconds(try row.integer(column)))
    case .bytes(let column): return row.isNull(column) ? .null : .data(row.data(column))
    case .decimal(let column):
      return row.isNull(column) ? .null : .box(ValueBox(try row.decimal(column)))
    case .uuid(let column):
      return row.isNull(column) ? .null : .box(ValueBox(try row.uuid(column)))
    case .url(let column):
      guard !row.isNull(column) else { return .null }
      guard let url = URL(string: row.text(column)) else {
        throw PostgreSQLRow.Malformed(column: column)
      }
      return .box(ValueBox(url))
    case .json(let column, let composite):
      guard !row.isNull(column) else { return .null }
      guard let values = CompositeJSON.values(try row.json(column), composite) else {
        throw PostgreSQLRow.Malformed(column: column)
      }
      return values.isEmpty ? .null : .box(ValueBox(values))
    case .toOne(let column, let entity, let destination):
      guard !row.isNull(column) else { return .null }
      let key = try row.integer(column)
      var layout = destination
      if let entity, !row.isNull(entity) {
        let label = row.text(entity)
        if label != destination.name, let known = layouts.entity(labeled: label),
          known.isKind(of: destination)
        {
          layout = known
        }
      }
      if slot < recent.count, let known = recent[slot], known.key == key, known.layout === layout {
        return .reference(known)
      }
      let id = NSManagedObjectID(layout: layout, store: store, key: key)
      if slot >= recent.count {
        recent += Array(repeating: nil, count: slot + 1 - recent.count)
      }
      recent[slot] = id
      return .reference(id)
    }
  }
}
