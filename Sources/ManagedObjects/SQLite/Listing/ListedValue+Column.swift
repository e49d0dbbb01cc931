import DataModels
import Foundation

extension ListedValue {
  /// A column's value, interpreted by the attribute's type. Bytes of a type that has none are marked, to distinguish them
  /// from strings.
  init(_ row: SQLiteStatement, at column: Int32, of type: NSAttributeType) {
    switch row.type(at: column) {
    case .null: self = .null
    case .integer:
      switch type {
      // Core Data writes no other numbers; they are shown unconverted.
      case .booleanAttributeType where (0...1).contains(row.integer(at: column)):
        self = .flag(row.integer(at: column) == 1)
      case .dateAttributeType: self = .date(row.double(at: column))
      default: self = .integer(row.integer(at: column))
      }
    case .real:
      let number = row.double(at: column)
      self = type == .dateAttributeType ? .date(number) : .real(number)
    case .text: self = row.text(at: column).map { .text($0) } ?? .null
    case .blob:
      let data = row.blob(at: column) ?? Data()
      if type == .UUIDAttributeType, let uuid = UUID(bytes: data) {
        self = .text(uuid.uuidString)
      } else {
        self = type.holdsBytes ? .bytes(data) : .record([(name: "@bytes", value: .bytes(data))])
      }
    }
  }
}

extension NSAttributeType {
  /// Whether values are stored as bytes that no other type can show.
  @inline(__always)
  var holdsBytes: Bool { self == .binaryDataAttributeType || self == .transformableAttributeType }
}
