import CSQLite
import DataModels
import Foundation

/// Makes values of the row a statement stands on.
struct RowDecoder {
  let store: StoreReference
  /// The layouts by entity number; number n is at n − 1.
  let layouts: [EntityLayout?]
  let externalData: ExternalData
  /// Whether a value whose file is missing is none, as where a store was restored without its files. The row keeps
  /// naming the file until it gets another value.
  var passesOverMissingFiles = false

  /// The identities met last, by slot: neighbouring rows often lead to the same object.
  private var recent: [NSManagedObjectID?] = []
  private var keys: [Int64] = []
  /// Who read them: a slot is another relationship in entities beside each other, and may lead elsewhere.
  private var lastReader: RowShape.Reader?

  /// A column of the present row that was read already, and the key in it; none is less than 0.
  private var (readColumn, readKey): (Int32, Int64) = (-1, 0)

  init(store: StoreReference, layouts: [EntityLayout?], externalData: ExternalData) {
    self.store = store
    self.layouts = layouts
    self.externalData = externalData
  }

  /// The values of the present row, by slot.
  mutating func values(
    _ statement: SQLiteStatement, _ reader: RowShape.Reader
  ) throws -> [StoredValue] {
    try [StoredValue](makingRow: reader.steps.count) { row in
      try decode(statement, reader, into: row)
      return true
    } ?? []
  }

  /// The key in a column, before the values of the row are made; nil for NULL.
  @inline(__always)
  mutating func readKey(_ statement: SQLiteStatement, _ column: Int32) -> Int64? {
    let value = statement.columnValue(at: column)
    let type = value.type
    let key = value.integer
    (readColumn, readKey) = (type == SQLITE_INTEGER ? column : -1, key)
    return type == SQLITE_NULL ? nil : key
  }

  /// Makes the values of the present row by slot; none of them when it throws.
  @inline(__always)
  mutating func decode(
    _ statement: SQLiteStatement, _ reader: RowShape.Reader,
    into row: RowBuffer
  ) throws {
    if reader !== lastReader {
      lastReader = reader
      for slot in keys.indices { keys[slot] = .min }
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
          // Whole numbers, dates above all, are kept as integers.
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

  /// Makes one value the long way: of a rare type, NULL, or of another type than the attribute's.
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
      if layouts.indices.contains(number - 1), let known = layouts[number - 1],
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

  /// What a composite's dictionary holds of an element: of a transformable one what its transformer
  /// makes of the bytes.
  private static func object(_ value: StoredValue, _ element: RowField.Element) -> Any? {
    if case .data(let data) = value, element.type == .transformableAttributeType {
      return AttributeTransformer.value(of: data, for: element.attribute)
        ?? UntransformedBytes(data: data)
    }
    return AttributeCodec.object(value, type: element.type)
  }
}
