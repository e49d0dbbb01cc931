import Foundation
import ManagedModel
import ManagedObjects

/// Makes values of the row a statement stands on.
struct RowDecoder {
  let store: StoreReference
  /// The layouts by entity number; number n is at n − 1.
  let layouts: [EntityLayout?]
  let externalData: ExternalData

  /// The identities met last, by slot: neighbouring rows often lead to the same object.
  private var recent: [NSManagedObjectID?] = []

  init(store: StoreReference, layouts: [EntityLayout?], externalData: ExternalData) {
    self.store = store
    self.layouts = layouts
    self.externalData = externalData
  }

  /// The values of the present row, by slot.
  mutating func values(
    _ row: SQLiteStatement, _ reader: RowShape.Reader
  ) throws -> [StoredValue] {
    let fields = reader.fields
    if recent.count < fields.count {
      recent += Array(repeating: nil, count: fields.count - recent.count)
    }
    return try [StoredValue](unsafeUninitializedCapacity: fields.count) { buffer, count in
      for index in fields.indices {
        buffer.initializeElement(at: index, to: try value(row, fields[index], slot: index))
        count = index + 1
      }
    }
  }

  @inline(__always)
  private mutating func value(
    _ row: SQLiteStatement, _ field: RowField, slot: Int
  ) throws -> StoredValue {
    switch field {
    case .integer(let column):
      return row.isNull(at: column) ? .null : .integer(row.integer(at: column))
    case .real(let column):
      return row.isNull(at: column) ? .null : .real(row.double(at: column))
    case .text(let column):
      return row.text(at: column).map { .text($0) } ?? .null
    case .toOne(let key, let entity, let destination):
      guard !row.isNull(at: key) else { return .null }
      return .reference(
        identity(row, row.integer(at: key), entity: entity, destination, slot: slot))
    case .none: return .null
    default: return try rareValue(row, field, slot: slot)
    }
  }

  private mutating func identity(
    _ row: SQLiteStatement, _ key: Int64, entity: Int32?, _ destination: EntityLayout, slot: Int
  ) -> NSManagedObjectID {
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
    recent[slot] = made
    return made
  }

  @inline(never)
  private mutating func rareValue(
    _ row: SQLiteStatement, _ field: RowField, slot: Int
  ) throws -> StoredValue {
    switch field {
    case .data(let column), .transformable(let column):
      return row.blob(at: column).map { .data($0) } ?? .null
    case .external(let column):
      return try row.blob(at: column).map { .data(try externalData.value(of: $0)) } ?? .null
    case .decimal(let column): return Self.decimal(row, column)
    case .uuid(let column):
      return row.withBlob(at: column) { bytes in
        guard let bytes, bytes.count == 16 else { return .null }
        return .box(ValueBox(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))))
      }
    case .url(let column):
      return row.text(at: column).flatMap { URL(string: $0) }.map { .box(ValueBox($0)) } ?? .null
    case .composite(let elements):
      var values: [String: Any] = [:]
      for element in elements {
        let value = try rareOrPlain(row, element.field, slot: slot)
        values[element.name] = AttributeCodec.object(value, type: element.type)
      }
      return values.isEmpty ? .null : .box(ValueBox(values))
    default: return .null
    }
  }

  private mutating func rareOrPlain(
    _ row: SQLiteStatement, _ field: RowField, slot: Int
  ) throws -> StoredValue {
    try value(row, field, slot: slot)
  }

  /// Decimals are kept as doubles: the shortest text of one is the number that was meant.
  private static func decimal(_ row: SQLiteStatement, _ column: Int32) -> StoredValue {
    let number: Decimal? =
      switch row.type(at: column) {
      case .null, .blob: nil
      case .integer: Decimal(row.integer(at: column))
      case .real: Decimal(string: "\(row.double(at: column))")
      case .text: row.text(at: column).flatMap { Decimal(string: $0) }
      }
    return number.map { .box(ValueBox($0)) } ?? .null
  }
}
