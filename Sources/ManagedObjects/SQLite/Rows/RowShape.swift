import DataModels
import Foundation

/// The columns selected for an entity's rows, and the readers that decode them.
///
/// The entities of a hierarchy share a table but not their columns, so there is a reader for each possible entity of
/// a row.
final class RowShape {
  /// Decodes rows of one entity.
  final class Reader {
    let layout: EntityLayout
    let fields: [RowField]
    /// The decoding steps of the fields, in a compact form.
    let steps: FixedArray<Step>

    init(layout: EntityLayout, fields: [RowField]) {
      self.layout = layout
      self.fields = fields
      steps = FixedArray(fields.map(Step.init))
    }
  }

  /// The decoding of one value.
  struct Step {
    enum Kind { case none, integer, real, text, toOne, rare }
    let kind: Kind
    let column: Int32
    /// The column of a to-one relationship's entity; -1 if there is none.
    var entityColumn: Int32 = -1

    init(_ field: RowField) {
      if case .toOne(_, let entity?, _) = field { entityColumn = entity }
      switch field {
      case .none: (kind, column) = (.none, 0)
      case .integer(let column): (kind, self.column) = (.integer, column)
      case .real(let column): (kind, self.column) = (.real, column)
      case .text(let column): (kind, self.column) = (.text, column)
      case .toOne(let key, _, _): (kind, column) = (.toOne, key)
      default: (kind, column) = (.rare, 0)
      }
    }
  }

  /// `SELECT … FROM ZTABLE t0`, without further clauses.
  let select: String
  /// Selects one row by its key.
  let rowSQL: String
  /// The condition that excludes rows of other entities in the table; nil if there are none.
  let entityCondition: String?
  /// The number of selected columns; the first two are the row's key and its version.
  let columnCount: Int32
  /// The column of the row's entity number; nil if all rows of the table have the same entity. As in Core Data, the
  /// number isn't checked then, except by `StoreCheck`.
  let entityColumn: Int32?
  /// The only reader, if all rows have the same entity.
  let onlyReader: Reader?
  /// The columns of keys, versions and entity numbers, which are the first.
  let keyColumns: String
  private let columns: [String]
  private let columnList: String
  private let tail: String
  private let firstNumber: Int
  private let readers: [Reader?]

  /// Creates the shape of rows of an entity, with or without its subentities.
  init(
    _ entity: SchemaEntity, includesSubentities: Bool, schema: StoreSchema,
    layouts: [EntityLayout?]
  ) {
    let numbers = includesSubentities ? entity.numbers : entity.number...entity.number
    let root = schema[number: entity.rootNumber] ?? entity
    let isAlone = schema.isAlone(entity)
    var columns = ["Z_PK", "Z_OPT"] + (isAlone ? [] : ["Z_ENT"])
    keyColumns = columns.map { "t0.\($0)" }.joined(separator: ", ")
    entityColumn = isAlone ? nil : 2
    var positions: [String: Int32] = [:]
    func position(of column: String) -> Int32 {
      if let known = positions[column] { return known }
      let position = Int32(columns.count)
      positions[column] = position
      columns.append(column)
      return position
    }
    firstNumber = numbers.lowerBound
    let readers = numbers.map { number -> Reader? in
      guard let layout = layouts[number - 1], let row = schema[number: number] else { return nil }
      let fields = layout.values.map { property -> RowField in
        guard !property.isTransient else { return .none }
        if let toOne = row.toOnes[property.name], let target = layouts[toOne.destination - 1] {
          return .toOne(
            key: position(of: toOne.key), entity: toOne.targetEntity.map(position),
            destination: target)
        }
        guard let attribute = property.description as? NSAttributeDescription else { return .none }
        return Self.field(attribute, path: attribute.name, in: row, position: position)
      }
      return Reader(layout: layout, fields: fields)
    }
    self.readers = readers
    onlyReader = isAlone ? readers.first.flatMap { $0 } : nil
    let list = columns.map { "t0.\($0)" }.joined(separator: ", ")
    self.columns = columns
    columnCount = Int32(columns.count)
    columnList = list
    tail = "FROM \(entity.table) t0"
    select = "SELECT \(list) \(tail)"
    if numbers == root.numbers {
      entityCondition = nil
    } else if numbers.count == 1 {
      entityCondition = "t0.Z_ENT = \(numbers.lowerBound)"
    } else {
      entityCondition = "t0.Z_ENT BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound)"
    }
    rowSQL = "\(select) WHERE t0.Z_PK = ?"
  }

  private static func field(
    _ attribute: NSAttributeDescription, path: String, in row: SchemaEntity,
    position: (String) -> Int32
  ) -> RowField {
    guard let composite = attribute as? NSCompositeAttributeDescription else {
      return row.attributes[path].map { .attribute(attribute, column: position($0)) } ?? .none
    }
    return .composite(
      composite.elements.map { element in
        RowField.Element(
          attribute: element,
          field: field(element, path: "\(path).\(element.name)", in: row, position: position))
      })
  }

  /// The same as ``select`` with one more column at the end.
  func select(adding column: String) -> String { "SELECT \(columnList), \(column) \(tail)" }

  /// The index of a table's column among the selected ones; nil if it isn't selected.
  func position(of column: String) -> Int32? { columns.firstIndex(of: column).map { Int32($0) } }

  /// The reader for an entity number; nil for a number that doesn't belong here.
  func reader(_ number: Int64) -> Reader? {
    let index = Int(truncatingIfNeeded: number) &- firstNumber
    return readers.indices.contains(index) ? readers[index] : nil
  }
}
