import DataModels
import Foundation

/// The storage of one value of a row: its columns, and their format.
enum RowField {
  /// Not stored.
  case none
  case integer(column: Int32)
  case real(column: Int32)
  case text(column: Int32)
  case data(column: Int32)
  /// A tag byte, followed by the bytes or the name of the file that contains them.
  case external(column: Int32)
  case decimal(column: Int32)
  /// A computed number, whatever its type.
  case number(column: Int32)
  case uuid(column: Int32)
  case url(column: Int32)
  /// Bytes that a transformer decodes on demand.
  case transformable(column: Int32)
  case toOne(key: Int32, entity: Int32?, destination: EntityLayout)
  case composite([Element])

  /// An element of a composite.
  struct Element {
    let attribute: NSAttributeDescription
    let field: RowField
    var name: String { attribute.name }
    var type: NSAttributeType { attribute.attributeType }
  }

  /// The field of an attribute whose column is at index `column`.
  static func attribute(_ attribute: NSAttributeDescription, column: Int32) -> RowField {
    attribute.attributeType.field(
      column: column, isExternal: attribute.allowsExternalBinaryDataStorage)
  }

  /// The indexes of the columns whose values may be in files, those of a composite's elements included.
  var externalColumns: [Int] {
    switch self {
    case .external(let column): [Int(column)]
    case .composite(let elements): elements.flatMap(\.field.externalColumns)
    default: []
    }
  }
}
