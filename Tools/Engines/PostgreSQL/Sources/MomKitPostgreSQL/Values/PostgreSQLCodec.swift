import DataModels
import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// Converts row values to PostgreSQL's.
enum PostgreSQLCodec {
  /// Returns a value for a column.
  ///
  /// - Throws: an error for values that PostgreSQL can't store: strings that contain NUL, and dates outside its
  ///   range.
  static func value(
    _ value: StoredValue, _ slot: EntityTable.Slot, _ store: StoreReference
  ) throws -> PostgreSQLValue {
    let type = slot.column.type
    switch (value, type) {
    case (.null, _): return .null(type.number)
    case (.integer(let number), .int16): return .int2(Int16(truncatingIfNeeded: number))
    case (.integer(let number), .int32): return .int4(Int32(truncatingIfNeeded: number))
    case (.integer(let number), .int64): return .int8(number)
    case (.integer(let number), .boolean): return .boolean(number != 0)
    case (.real(let number), .double): return .float8(number)
    case (.real(let number), .float): return .float4(Float(number))
    case (.real(let seconds), .date):
      return .timestamp(
        try microseconds(of: Date(timeIntervalSinceReferenceDate: seconds), slot.property.name))
    case (.text(let text), .text):
      try check(text, slot.property.name)
      return .text(text)
    case (.data(let data), .bytes), (.data(let data), .transformable): return .bytes(data)
    case (.reference(let id), .int64): return .int8(try store.key(of: id))
    case (.box(let box), .transformable):
      return .bytes(try box.bytes(for: slot.property.description as? NSAttributeDescription))
    case (.box(let box), .decimal):
      if let number = box.value as? Decimal { return .numeric(number.description) }
    case (.box(let box), .uuid): if let uuid = box.value as? UUID { return .uuid(uuid) }
    case (.box(let box), .url):
      if let url = box.value as? URL {
        try check(url.absoluteString, slot.property.name)
        return .text(url.absoluteString)
      }
    case (.box(let box), .json):
      if let values = box.value as? [String: Any],
        let composite = slot.property.description as? NSCompositeAttributeDescription
      {
        return .json(try CompositeJSON.data(values, composite))
      }
    default: break
    }
    throw refusal(slot.property.name, "it is of another type than the attribute")
  }

  /// Returns the value as it will be read back, if that differs from what was written: dates are rounded to
  /// microseconds, floats to their precision.
  static func kept(_ value: StoredValue, _ slot: EntityTable.Slot) -> StoredValue? {
    switch (value, slot.column.type) {
    case (.real(let seconds), .date):
      guard let microseconds = PostgreSQLTimestamp.microseconds(seconds) else { return nil }
      let kept = PostgreSQLTimestamp.seconds(microseconds)
      return kept == seconds ? nil : .real(kept)
    case (.real(let number), .float):
      let kept = Double(Float(number))
      return kept == number || number.isNaN ? nil : .real(kept)
    case (.box(let box), .json):
      guard let values = box.value as? [String: Any],
        let composite = slot.property.description as? NSCompositeAttributeDescription,
        let data = try? CompositeJSON.data(values, composite),
        let kept = CompositeJSON.values(data, composite)
      else { return nil }
      let read = StoredValue.box(ValueBox(kept))
      return read == value ? nil : read
    default: return nil
    }
  }

  /// Throws an error for integers that a row of another store may contain, but the attribute's type doesn't.
  static func requireRange(_ value: StoredValue, _ slot: EntityTable.Slot) throws {
    guard case .integer(let number) = value else { return }
    let fits =
      switch slot.column.type {
      case .int16: Int16(exactly: number) != nil
      case .int32: Int32(exactly: number) != nil
      default: true
      }
    guard !fits else { return }
    throw refusal(slot.property.name, "\(number) is out of the range of its type")
  }

  /// Returns a date in PostgreSQL's unit.
  ///
  /// - Throws: an error for dates outside PostgreSQL's range.
  static func microseconds(of date: Date, _ name: String) throws -> Int64 {
    let seconds = date.timeIntervalSinceReferenceDate
    guard let microseconds = PostgreSQLTimestamp.microseconds(seconds) else {
      throw refusal(name, "PostgreSQL has no such date")
    }
    return microseconds
  }

  /// Throws an error for strings that PostgreSQL can't store.
  static func check(_ text: String, _ name: String) throws {
    var text = text
    let hasNul = text.withUTF8 { $0.contains(0) }
    if hasNul { throw refusal(name, "PostgreSQL can't store NUL in strings") }
  }

  private static func refusal(_ name: String, _ why: String) -> NSError {
    PostgreSQLStore.error(
      NSPersistentStoreSaveError, "A value of '\(name)' can't be saved: \(why).",
      [NSValidationKeyErrorKey: name])
  }
}

extension RelationalType {
  /// The OID of the column's type.
  var number: UInt32 {
    switch self {
    case .int16: PostgreSQLParameters.TypeNumber.int2
    case .int32: PostgreSQLParameters.TypeNumber.int4
    case .int64: PostgreSQLParameters.TypeNumber.int8
    case .boolean: PostgreSQLParameters.TypeNumber.boolean
    case .double: PostgreSQLParameters.TypeNumber.float8
    case .float: PostgreSQLParameters.TypeNumber.float4
    case .decimal: PostgreSQLParameters.TypeNumber.numeric
    case .text, .url: PostgreSQLParameters.TypeNumber.text
    case .date: PostgreSQLParameters.TypeNumber.timestamp
    case .uuid: PostgreSQLParameters.TypeNumber.uuid
    case .bytes, .transformable: PostgreSQLParameters.TypeNumber.bytes
    case .json: PostgreSQLParameters.TypeNumber.json
    }
  }
}
