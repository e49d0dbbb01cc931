import CSQLite
import DataModels
import Foundation

/// The new values of derived attributes, as reported by triggers during a save.
///
/// The reporting functions are Core Data's; here they replace no-op versions.
final class AffectedValues {
  /// One attribute of one row.
  struct Place: Hashable {
    let entity: Int
    let key: Int64
    let attribute: String
  }

  /// The names of the functions.
  static let functions = [
    "NSCoreDataDATriggerUpdatedAffectedObjectValue",
    "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    "NSCoreDataTriggerUpdateAffectedObjectValue", "NSCoreDataDATriggerMergeableString",
  ]

  /// The values reported last.
  private(set) var values: [Place: StoredValue] = [:]

  /// Collects the values that triggers report while `body` runs.
  func listen<Result>(_ body: () throws -> Result) rethrows -> Result {
    values = [:]
    isListening = true
    defer { isListening = false }
    return try body()
  }

  private var isListening = false

  func forget() { if !values.isEmpty { values = [:] } }

  /// Registers the functions on a connection, which retains the object.
  func register(on connection: SQLiteConnection) throws(SQLiteError) {
    for name in Self.functions {
      try connection.register(name, arguments: 5) { arguments in
        self.note(arguments)
        return .null
      }
    }
  }

  /// Arguments: table, entity number, key, attribute, value.
  private func note(_ arguments: SQLArguments) {
    guard isListening, let name = arguments[3].text else { return }
    let place = Place(
      entity: Int(truncatingIfNeeded: arguments[1].integer), key: arguments[2].integer,
      attribute: name)
    values[place] = Self.value(arguments[4])
  }

  private static func value(_ value: ColumnValue) -> StoredValue {
    switch value.type {
    case SQLITE_INTEGER: .integer(value.integer)
    case SQLITE_FLOAT: .real(value.double)
    case SQLITE_TEXT: value.text.map { .text($0) } ?? .null
    case SQLITE_BLOB: value.data.map { .data($0) } ?? .null
    default: .null
    }
  }
}

extension SQLiteEngine {
  /// Returns the collected values and clears them.
  func takeAffectedValues() -> [SaveOutcome.DerivedValue] {
    guard !affectedValues.values.isEmpty else { return [] }
    defer { affectedValues.forget() }
    return affectedValues.values.compactMap { place, value in
      guard layouts.indices.contains(place.entity &- 1), let layout = layouts[place.entity &- 1],
        let property = layout.propertiesByName[place.attribute],
        // The triggers of an attribute report rows of other entities in the table as well.
        property.description is NSDerivedAttributeDescription
      else { return nil }
      return SaveOutcome.DerivedValue(
        row: RowKey(layout: layout, key: place.key), property: property,
        value: Self.stored(value, property.attributeType))
    }
  }

  /// A column's value as stored in an attribute.
  private static func stored(_ value: StoredValue, _ type: NSAttributeType) -> StoredValue {
    switch (type, value) {
    case (.doubleAttributeType, .integer(let number)), (.floatAttributeType, .integer(let number)),
      (.dateAttributeType, .integer(let number)):
      .real(Double(number))
    case (.integer16AttributeType, .real(let number)), (.integer32AttributeType, .real(let number)),
      (.integer64AttributeType, .real(let number)):
      Int64(exactly: number.rounded(.towardZero)).map { .integer($0) } ?? .null
    case (.decimalAttributeType, .integer(let number)): .box(ValueBox(Decimal(number)))
    case (.decimalAttributeType, .real(let number)):
      Decimal(meantBy: number).map { .box(ValueBox($0)) } ?? .null
    case (.UUIDAttributeType, .data(let bytes)):
      UUID(bytes: bytes).map { .box(ValueBox($0)) } ?? .null
    case (.URIAttributeType, .text(let text)): URL(string: text).map { .box(ValueBox($0)) } ?? .null
    // Data where none belongs, as a blob that another program has written into a number's column.
    case (let type, .data)
    where type != .binaryDataAttributeType && type != .transformableAttributeType:
      .null
    default: value
    }
  }
}
