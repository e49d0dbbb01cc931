import DataModels
import Foundation

/// How one value of a row is read and written: the columns, and what they hold.
enum RowField {
  /// Not stored.
  case none
  case integer(column: Int32)
  case real(column: Int32)
  case text(column: Int32)
  case data(column: Int32)
  /// A tag byte, then the bytes or the name of the file that has them.
  case external(column: Int32)
  case decimal(column: Int32)
  case uuid(column: Int32)
  case url(column: Int32)
  /// Bytes that a transformer makes a value of, when somebody asks.
  case transformable(column: Int32)
  case toOne(key: Int32, entity: Int32?, destination: EntityLayout)
  case composite([Element])

  /// A part of a composite.
  struct Element {
    let attribute: NSAttributeDescription
    let field: RowField
    var name: String { attribute.name }
    var type: NSAttributeType { attribute.attributeType }
  }

  /// The field of an attribute whose column is at `column`.
  static func attribute(_ attribute: NSAttributeDescription, column: Int32) -> RowField {
    attribute.attributeType.field(
      column: column, isExternal: attribute.allowsExternalBinaryDataStorage)
  }
}
