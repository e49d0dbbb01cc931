import CSQLite
import DataModels
import Foundation

/// Decodes the values of a statement's current row.
struct RowDecoder {
  let store: StoreReference
  /// The layouts by entity number; entity n is at index n − 1.
  let layouts: [EntityLayout?]
  let externalData: ExternalData
  /// Whether a value whose file is missing is null, as in a store that was restored without its files. The row keeps
  /// the reference to the file until the value is changed.
  var passesOverMissingFiles = false

  /// The most recent references, by slot: adjacent rows often refer to the same object.
  private var recent: [NSManagedObjectID?] = []
  private var keys: [Int64] = []
  /// The reader that used them: in a sibling entity, a slot may be another relationship with another destination.
  private var lastReader: RowShape.Reader?

  /// A column of the current row that was read already, and the key in it; -1 if there is none.
  private var (readColumn, readKey): (Int32, Int64) = (-1, 0)

  init(store: StoreReference, layouts: [EntityLayout?], externalData: ExternalData) {
    self.store = store
    self.layouts = layouts
    self.externalData = externalData
  }

  /// The values of the current row, by slot.
  mutating func values(
    _ statement: SQLiteStatement, _ reader: RowShape.Reader
  ) throws -> [StoredValue] {
    try [StoredValue](makingRow: reader.steps.count) { row in
      try decode(statement, reader, into: row)
      return true
    } ?? []
  }

  /// The key in a column, read before the row's values are decoded; nil for NULL.
  @inline(__always)
  mutating func readKey(_ statement: SQLiteStatement, _ column: Int32) -> Int64? {
    let value = statement.columnValue(at: column)
    let type = value.type
    let key = value.integer
    (readColumn, readKey) = (type == SQLITE_INTEGER ? column : -1, key)
    return type == SQLITE_NULL ? nil : key
  }

  /// Decodes the values of the current row, by slot; writes none if it throws.
  @inline(__always)
  mutating func decode(
    _ statement: SQLiteStatement, _ reader: RowShape.Reader,
    into row: RowBuffer
  ) throws {
    if reader !== lastReader {
      lastReader = reader
      for slot in recent.indices { recent[slot] = nil }
    }
    let steps = reader.steps
    for slot in steps.indices {
      let step = steps[slot]
      switch step.kind {
      case .integer:
        let value = statement.columnValue(at: step.column)
        switch value.type {
        case SQLITE_INTEGER: row.put(.integer(value.integer), at: slot)
        case SQLITE_NULL: row.put(.null, at: slot)
        default: try decodeRare(statement, reader: reader, slot: slot, into: row)
        }
      case .real:
        let value = statement.columnValue(at: step.column)
        switch value.type {
        case SQLITE_FLOAT: row.put(.real(value.double), at: slot)
        case SQLITE_NULL: row.put(.null, at: slot)
        case SQLITE_INTEGER:
          // Whole numbers, especially dates, are stored as integers.
          guard let number = Double(exactly: value.integer) else { fallthrough }
          row.put(.real(number), at: slot)
        default: try decodeRare(statement, reader: reader, slot: slot, into: row)
        }
      case .text:
        let value = statement.columnValue(at: step.column)
        switch value.type {
        case SQLITE_TEXT:
          row.put(value.text.map { .text($0) } ?? .null, at: slot)
        case SQLITE_NULL: row.put(.null, at: slot)
        default: try decodeRare(statement, reader: reader, slot: slot, into: row)
        }
      case .none: row.put(.null, at: slot)
      case .toOne:
        let key: Int64
        if step.column == readColumn {
          key = readKey
        } else {
          let value = statement.columnValue(at: step.column)
          guard value.type == SQLITE_INTEGER else {
            if value.isNull {
              row.put(.null, at: slot)
            } else {
              try decodeRare(statement, reader: reader, slot: slot, into: row)
            }
            continue
          }
          key = value.integer
        }
        if step.entityColumn < 0, slot < keys.count, keys[slot] == key, let known = recent[slot] {
          row.put(.reference(known), at: slot)
        } else {
          let id = identity(in: statement, key: key, reader: reader, slot: slot)
          row.put(id.map { .reference($0) } ?? .null, at: slot)
        }
      case .rare: try decodeRare(statement, reader: reader, slot: slot, into: row)
      }
    }
  }

  /// Decodes a value of a rare type, NULL, or a value whose type isn't the attribute's.
  @inline(never)
  private mutating func decodeRare(
    _ statement: SQLiteStatement, reader: RowShape.Reader, slot: Int,
    into row: RowBuffer
  ) throws {
    do {
      let value: StoredValue
      if case .toOne(let column, _, _) = reader.fields[slot] {
        let key = try ColumnConversion.integer(statement, column)
        let id = key.flatMap { identity(in: statement, key: $0, reader: reader, slot: slot) }
        value = id.map { .reference($0) } ?? .null
      } else {
        value = try rareValue(statement, reader.fields[slot])
      }
      row.put(value, at: slot)
    } catch {
      row.removeFirst(slot)
      guard let mismatch = error as? ColumnConversion.Mismatch else { throw error }
      throw mismatch.error(statement, entity: reader.layout.name)
    }
  }

  private mutating func identity(
    in row: SQLiteStatement, key: Int64, reader: RowShape.Reader, slot: Int
  ) -> NSManagedObjectID? {
    guard case .toOne(_, let entity, let destination) = reader.fields[slot] else { return nil }
    if slot >= keys.count {
      recent += Array(repeating: nil, count: reader.fields.count - recent.count)
      keys += Array(repeating: 0, count: reader.fields.count - keys.count)
    }
    var layout = destination
    if let entity, !row.isNull(at: entity) {
      let number = Int(truncatingIfNeeded: row.integer(at: entity))
      if layouts.indices.contains(number &- 1), let known = layouts[number &- 1],
        known.isKind(of: destination)
      {
        layout = known
      }
    }
    if let known = recent[slot], known.key == key, known.layout === layout { return known }
    let made = NSManagedObjectID(layout: layout, store: store, key: key)
    (recent[slot], keys[slot]) = (made, key)
    return made
  }

  @inline(never)
  private mutating func rareValue(
    _ row: SQLiteStatement, _ field: RowField
  ) throws -> StoredValue {
    switch field {
    case .integer(let column):
      return try ColumnConversion.integer(row, column).map { .integer($0) } ?? .null
    case .real(let column):
      return try ColumnConversion.double(row, column).map { .real($0) } ?? .null
    case .text(let column):
      return try ColumnConversion.text(row, column).map { .text($0) } ?? .null
    case .data(let column), .transformable(let column):
      return try ColumnConversion.data(row, column).map { .data($0) } ?? .null
    case .external(let column):
      return try externalValue(row, column)
    case .number(let column):
      if row.type(at: column) == .integer { return .integer(row.integer(at: column)) }
      return try ColumnConversion.double(row, column).map { .real($0) } ?? .null
    case .decimal(let column):
      return try ColumnConversion.decimal(row, column).map { .box(ValueBox($0)) } ?? .null
    case .uuid(let column):
      return try ColumnConversion.uuid(row, column).map { .box(ValueBox($0)) } ?? .null
    case .url(let column):
      return try ColumnConversion.url(row, column).map { .box(ValueBox($0)) } ?? .null
    case .composite(let elements):
      var values: [String: Any] = [:]
      for element in elements {
        let value = try rareValue(row, element.field)
        values[element.name] = Self.object(value, element)
      }
      return values.isEmpty ? .null : .box(ValueBox(values))
    case .none, .toOne: return .null
    }
  }

  private func externalValue(_ row: SQLiteStatement, _ column: Int32) throws -> StoredValue {
    guard let bytes = try ColumnConversion.data(row, column) else { return .null }
    do {
      return .data(try externalData.value(of: bytes))
    } catch {
      guard passesOverMissingFiles, ExternalData.isMissingFile(error) else { throw error }
      return .null
    }
  }

  /// An element's value in a composite's dictionary; for a transformable element, its transformer's result.
  private static func object(_ value: StoredValue, _ element: RowField.Element) -> Any? {
    if case .data(let data) = value, element.type == .transformableAttributeType {
      return AttributeTransformer.value(of: data, for: element.attribute)
        ?? UntransformedBytes(data: data)
    }
    return AttributeCodec.object(value, type: element.type)
  }
}
