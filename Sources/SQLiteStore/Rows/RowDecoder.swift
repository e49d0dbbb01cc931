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
  private var keys: [Int64] = []

  init(store: StoreReference, layouts: [EntityLayout?], externalData: ExternalData) {
    self.store = store
    self.layouts = layouts
    self.externalData = externalData
  }

  /// The values of the present row, by slot.
  mutating func values(
    _ statement: SQLiteStatement, _ reader: RowShape.Reader
  ) throws -> [StoredValue] {
    let count = reader.steps.count
    return try Array(unsafeUninitializedCapacity: count) { buffer, made in
      guard let row = buffer.baseAddress, count > 0 else { return }
      try decode(statement, reader, into: row)
      made = count
    }
  }

  /// Makes the values of the present row in the memory at `row`, by slot; none of them when it throws.
  @inline(__always)
  mutating func decode(
    _ statement: SQLiteStatement, _ reader: RowShape.Reader,
    into row: UnsafeMutablePointer<StoredValue>
  ) throws {
    // A number that isn't 0 isn't NULL either, for which SQLite gives 0: few have to be asked for.
    let steps = reader.steps
    for slot in steps.indices {
      let step = steps[slot]
      switch step.kind {
      case .integer:
        let number = statement.integer(at: step.column)
        (row + slot).initialize(
          to: number == 0 && statement.isNull(at: step.column) ? .null : .integer(number))
      case .real:
        let number = statement.double(at: step.column)
        (row + slot).initialize(
          to: number == 0 && statement.isNull(at: step.column) ? .null : .real(number))
      case .text:
        if let text = statement.columnValue(at: step.column).text {
          (row + slot).initialize(to: .text(text))
        } else {
          (row + slot).initialize(to: .null)
        }
      case .none: (row + slot).initialize(to: .null)
      case .toOne:
        let key = statement.integer(at: step.column)
        if key == 0, statement.isNull(at: step.column) {
          (row + slot).initialize(to: .null)
        } else if step.entityColumn < 0, slot < keys.count, keys[slot] == key,
          let known = recent[slot]
        {
          (row + slot).initialize(to: .reference(known))
        } else {
          let id = identity(statement, key, reader, slot: slot)
          (row + slot).initialize(to: id.map { .reference($0) } ?? .null)
        }
      case .rare:
        do {
          (row + slot).initialize(to: try rareValue(statement, reader.fields[slot]))
        } catch {
          row.deinitialize(count: slot)
          throw error
        }
      }
    }
  }

  private mutating func identity(
    _ row: SQLiteStatement, _ key: Int64, _ reader: RowShape.Reader, slot: Int
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
      return row.isNull(at: column) ? .null : .integer(row.integer(at: column))
    case .real(let column):
      return row.isNull(at: column) ? .null : .real(row.double(at: column))
    case .text(let column):
      return row.text(at: column).map { .text($0) } ?? .null
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
        let value = try rareValue(row, element.field)
        values[element.name] = AttributeCodec.object(value, type: element.type)
      }
      return values.isEmpty ? .null : .box(ValueBox(values))
    default: return .null
    }
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
