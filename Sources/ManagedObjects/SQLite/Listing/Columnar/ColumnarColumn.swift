import DataModels
import Foundation
import ParquetFiles

/// A column of a Parquet file, and how it gets its value from a row.
final class ColumnarColumn {
  /// What is written for a value.
  enum Form: Hashable {
    /// The row's key.
    case key
    case boolean
    case integer(bits: Int)
    case float
    case double
    /// Decimals with a number of digits after the point.
    case decimal(DecimalMeasure)
    case date(ParquetType.Unit)
    case uuid
    case text
    case bytes
    /// What a listing shows as JSON.
    case json
    /// The key of a to-one relationship's target, or the name of its entity.
    case reference
    case referenceEntity
    /// The keys of a to-many relationship's targets, or the names of their entities.
    case members
    case memberEntities
  }

  /// Thrown when a value doesn't fit the column: the file must be written anew, in another form.
  struct Misfit: Error {
    /// The column's number.
    let column: Int
    let form: Form
    let object: String
  }

  let name: String
  private(set) var form: Form
  /// Where the value is read; nil for the key.
  let source: ListedColumn.Source
  /// The number of the value's column in a row, -1 if it has none.
  let place: Int32
  private let declared: String
  private let targets: [String]?
  private var note: String?
  /// How many dates the file has with less than their digits.
  var roundedDates = 0

  private init(
    _ name: String, _ form: Form, from source: ListedColumn.Source, declared: String,
    targets: [String]? = nil
  ) {
    self.name = name
    self.form = form
    self.source = source
    self.declared = declared
    self.targets = targets
    place =
      switch source {
      case .plain(let column, _), .external(let column, _): column
      case .toOne(let key, _, _): key
      case .nothing, .composite, .toMany: -1
      }
  }

  /// The column of the rows' keys.
  convenience init(key name: String) {
    self.init(name, .key, from: .plain(0, .integer64AttributeType), declared: "key")
  }

  /// The column of an attribute.
  ///
  /// - Parameter isDecoded: Whether bytes are written as what they hold.
  convenience init(
    _ attribute: NSAttributeDescription, _ listed: ListedColumn, unit: ParquetType.Unit,
    isDecoded: Bool
  ) {
    let type = attribute.attributeType
    let form: Form =
      switch type.columnKind {
      case .integer(let range): .integer(bits: 64 - (range.upperBound.leadingZeroBitCount - 1))
      case .boolean: .boolean
      case .real: type == .floatAttributeType ? .float : .double
      case .date: .date(unit)
      case .decimal: .decimal(DecimalMeasure())
      case .text, .url: .text
      case .uuid: .uuid
      case .bytes, .transformable: isDecoded ? .json : .bytes
      case .none: type == .compositeAttributeType ? .json : .text
      }
    self.init(
      listed.name, form, from: listed.source, declared: type.label)
  }

  /// The column of a relationship.
  convenience init(
    _ relationship: NSRelationshipDescription, _ listed: ListedColumn, targets: [String]
  ) {
    self.init(
      listed.name, relationship.isToMany ? .members : .reference, from: listed.source,
      declared: relationship.isToMany ? "To-Many" : "To-One", targets: targets)
  }

  /// The column with the entities that a relationship leads to.
  convenience init(
    entityOf listed: ListedColumn, named name: String, _ relationship: NSRelationshipDescription
  ) {
    self.init(
      name, relationship.isToMany ? .memberEntities : .referenceEntity, from: listed.source,
      declared: "entity of \(listed.name)")
  }

  // MARK: Types

  var isDecimal: Bool { if case .decimal = form { true } else { false } }

  var parquet: ParquetColumn {
    switch form {
    case .key: ParquetColumn(name, .integer(bits: 64), count: .one)
    case .boolean: ParquetColumn(name, .boolean)
    case .integer(let bits): ParquetColumn(name, .integer(bits: bits))
    case .float: ParquetColumn(name, .float)
    case .double: ParquetColumn(name, .double)
    case .decimal(let digits):
      ParquetColumn(name, .decimal(precision: digits.precision, scale: digits.scale))
    case .date(let unit): ParquetColumn(name, .timestamp(unit))
    case .uuid: ParquetColumn(name, .uuid)
    case .text, .referenceEntity: ParquetColumn(name, .text)
    case .bytes: ParquetColumn(name, .bytes)
    case .json: ParquetColumn(name, .json)
    case .reference: ParquetColumn(name, .integer(bits: 64))
    case .members: ParquetColumn(name, .integer(bits: 64), count: .list)
    case .memberEntities: ParquetColumn(name, .text, count: .list)
    }
  }

  /// Takes over what is known of all decimals of the column.
  func setDigits(_ digits: DecimalMeasure) {
    if digits.fits {
      form = .decimal(digits)
    } else if digits.areDoubles {
      form = .double
      note = "DECIMAL would need more than 38 digits"
    } else {
      form = .json
      note = "values are no decimal numbers"
    }
  }

  func widen(to form: Form, for object: String) {
    note = "not \(parquet.type.name), which the value of \(object) doesn't fit"
    self.form = form
  }

  var manifest: ColumnarManifest.Column {
    let type = parquet
    return ColumnarManifest.Column(
      name: name, coreDataType: declared,
      parquetType: type.count == .list ? "LIST<\(type.type.name)>" : type.type.name,
      destinations: targets, widened: note, roundedDates: roundedDates)
  }
}
