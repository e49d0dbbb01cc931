import DataModels
import Foundation

/// Binds objects' values to statements, and records the files written for large values.
struct ValueWriter {
  let engine: SQLiteEngine
  /// Files written for values of this save, to be removed if it fails.
  private(set) var writtenFiles: [URL] = []

  private let store: StoreReference
  private let externalData: ExternalData

  /// Creates a writer.
  ///
  /// - Parameter keepsInline: whether large values are written into their column rather than into files.
  init(engine: SQLiteEngine, keepsInline: Bool = false) {
    self.engine = engine
    store = engine.reference
    externalData = keepsInline ? engine.externalData.inline : engine.externalData
  }

  /// Binds a stored value, starting with parameter `index`, and returns the next parameter's index.
  mutating func bind(
    _ value: StoredValue, _ slot: RowWriter.Slot, to row: SQLiteStatement, at index: Int32
  ) throws -> Int32 {
    switch (slot.field, value) {
    case (.toOne(_, let entity, _), .reference(let id)):
      try row.bind(try store.key(of: id), at: index)
      guard entity != nil else { return index + 1 }
      try row.bind(Int64(engine.numbers[ObjectIdentifier(id.layout)] ?? 0), at: index + 1)
      return index + 2
    case (.composite(let elements), _):
      let values = (value.boxed as? [String: Any]) ?? [:]
      return try bind(elements, values, to: row, at: index)
    case (_, .null):
      for position in slot.columns.indices { try row.bindNull(at: index + Int32(position)) }
      return index + Int32(slot.columns.count)
    case (.transformable, .box(let box)):
      try row.bind(try box.bytes(for: slot.transformable), at: index)
      return index + 1
    default:
      try bindPlain(value, slot.field, to: row, at: index)
      return index + 1
    }
  }

  /// Binds the value of a slot for one execution of a statement, starting with parameter `index`.
  @inline(__always)
  mutating func bindOnce(
    _ change: RowChange, position: Int, writer: RowWriter, to row: SQLiteStatement,
    at index: Int32
  ) throws -> Int32 {
    let value = change[writer.steps[position].index]
    return try bindOnce(value, position: position, writer: writer, to: row, at: index)
  }

  /// Binds a stored value of a slot for one execution of a statement, starting with parameter `index`.
  @inline(__always)
  mutating func bindOnce(
    _ value: StoredValue, position: Int, writer: RowWriter, to row: SQLiteStatement,
    at index: Int32
  ) throws -> Int32 {
    guard writer.steps[position].isPlain else {
      return try bind(value, writer.slots[position], to: row, at: index)
    }
    switch value {
    case .integer(let number): try row.bind(number, at: index)
    case .real(let number): try row.bind(number, at: index)
    case .text(let text): try row.bindOnce(text, at: index)
    case .reference(let id): try row.bind(try store.key(of: id), at: index)
    case .null: try row.bindNull(at: index)
    case .data, .box: return try bind(value, writer.slots[position], to: row, at: index)
    }
    return index + 1
  }

  private mutating func bind(
    _ elements: [RowField.Element], _ values: [String: Any],
    to row: SQLiteStatement, at index: Int32
  ) throws -> Int32 {
    var index = index
    for element in elements {
      if case .composite(let nested) = element.field {
        index = try bind(nested, values[element.name] as? [String: Any] ?? [:], to: row, at: index)
        continue
      }
      let value = AttributeCodec.stored(values[element.name], type: element.type) ?? .null
      if value.isNull {
        try row.bindNull(at: index)
      } else if case .transformable = element.field, let object = value.boxed {
        let data =
          try (object as? UntransformedBytes)?.data
          ?? AttributeTransformer.data(of: object, for: element.attribute)
        try row.bind(data, at: index)
      } else {
        try bindPlain(value, element.field, to: row, at: index)
      }
      index += 1
    }
    return index
  }

  @inline(__always)
  private mutating func bindPlain(
    _ value: StoredValue, _ field: RowField, to row: SQLiteStatement, at index: Int32
  ) throws {
    switch value {
    case .integer(let number): try row.bind(number, at: index)
    case .real(let number): try row.bind(number, at: index)
    case .text(let text): try row.bind(text, at: index)
    case .data(let data):
      guard case .external = field else { return try row.bind(data, at: index) }
      let column = try externalData.column(for: data)
      if let file = column.file { writtenFiles.append(file) }
      try row.bind(column.bytes, at: index)
    case .box(let box): try bindBox(box.value, field, to: row, at: index)
    case .null, .reference: try row.bindNull(at: index)
    }
  }

  private func bindBox(
    _ value: Any, _ field: RowField, to row: SQLiteStatement, at index: Int32
  ) throws {
    switch field {
    case .decimal:
      if let decimal = value as? Decimal {
        return try row.bind(Double(decimal.description) ?? 0, at: index)
      }
    case .uuid:
      if let uuid = value as? UUID { return try row.bind(Data(uuid.bytes), at: index) }
    case .url:
      if let url = value as? URL { return try row.bind(url.absoluteString, at: index) }
    // Values of these fields aren't boxed; transformable attributes of an entity are handled elsewhere.
    case .none, .integer, .real, .number, .text, .data, .external, .transformable, .toOne,
      .composite:
      break
    }
    // An element of a composite.
    try row.bind(
      try AttributeTransformer.data(of: value, for: NSAttributeDescription()), at: index)
  }
}

extension StoreReference {
  /// The key of an object in the store's tables.
  ///
  /// - Throws: an error for an object of another store, or one that was never saved: its number would denote another
  ///   row.
  @inline(__always)
  @_spi(Engines) public func key(of id: NSManagedObjectID) throws -> Int64 {
    id.storeReference === self ? id.key : try permanentKey(of: id)
  }

  /// The key of an object that a parent or child context still refers to by its temporary ID.
  private func permanentKey(of id: NSManagedObjectID) throws -> Int64 {
    guard let permanent = id.successor, permanent.storeReference === self else {
      throw CoreDataError.unwritable(id)
    }
    return permanent.key
  }
}

extension StoredValue {
  /// The value in the box, if it is boxed.
  var boxed: Any? {
    if case .box(let box) = self { box.value } else { nil }
  }
}
