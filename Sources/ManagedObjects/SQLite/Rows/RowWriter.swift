import DataModels
import Foundation

/// Writes objects of one entity to their table.
final class RowWriter {
  let layout: EntityLayout
  let entity: SchemaEntity
  let number: Int64
  /// Inserts a whole row: key, entity number, version, then the columns of ``slots``.
  let insertSQL: String
  /// Deletes a row if it has the given version.
  let deleteSQL: String
  /// The stored slots, each with its field and its columns.
  let slots: [Slot]
  /// The slots' indexes in an object's values, and whether their values are bound directly.
  let steps: [Step]
  /// Whether some values may be stored in external files.
  let hasExternalData: Bool
  private var updates: [[Int]: String] = [:]

  /// The binding of one value.
  struct Step {
    let index: Int
    /// Whether the value is bound directly to a single column.
    let isPlain: Bool
  }

  /// A stored property.
  struct Slot {
    let index: Int
    let type: NSAttributeType
    let field: RowField
    /// The attribute, if it is transformable.
    var transformable: NSAttributeDescription?
    let columns: [String]
    /// Those of the columns whose values may be in external files: the attribute's own, or those of a composite's
    /// elements.
    let externalColumns: [String]
    /// The column with the row's position, for a to-one relationship with an ordered inverse.
    var order: String?

    init(
      index: Int, type: NSAttributeType, field: RowField,
      transformable: NSAttributeDescription? = nil, columns: [String], isDerived: Bool = false
    ) {
      self.index = index
      self.type = type
      self.field = field
      self.transformable = transformable
      self.columns = columns
      // A file that a derived value names belongs to the row it was derived from.
      externalColumns = isDerived ? [] : field.externalColumns.map { columns[$0] }
    }
  }

  init(_ layout: EntityLayout, _ entity: SchemaEntity, schema: StoreSchema) {
    self.layout = layout
    self.entity = entity
    number = Int64(entity.number)
    slots = layout.values.compactMap { property in
      var slot = Self.slot(property, entity)
      if property.inverse?.isOrdered == true {
        slot?.order = schema.orderColumn(of: property.name, in: entity)
      }
      return slot
    }
    steps = slots.map { slot in
      switch slot.field {
      case .composite, .external: Step(index: slot.index, isPlain: false)
      case .toOne(_, let entity, _): Step(index: slot.index, isPlain: entity == nil)
      default: Step(index: slot.index, isPlain: true)
      }
    }
    hasExternalData = slots.contains { !$0.externalColumns.isEmpty }
    let columns = slots.flatMap(\.columns)
    let marks = Array(repeating: "?", count: columns.count + 3).joined(separator: ", ")
    insertSQL =
      "INSERT INTO \(entity.table) (\((["Z_PK", "Z_ENT", "Z_OPT"] + columns).joined(separator: ", "))) "
      + "VALUES (\(marks))"
    deleteSQL = "DELETE FROM \(entity.table) WHERE Z_PK = ? AND \(Self.hasVersion(2))"
  }

  /// The condition that a row has the version with the given number among the statement's parameters, as it is read: rows
  /// that other programs inserted may have none, or a text.
  static func hasVersion(_ parameter: Int) -> String {
    "(Z_OPT = ?\(parameter) OR CAST(ifnull(Z_OPT, 0) AS INTEGER) = ?\(parameter))"
  }

  private static func slot(_ property: PropertyLayout, _ entity: SchemaEntity) -> Slot? {
    guard !property.isTransient else { return nil }
    if let toOne = entity.toOnes[property.name], let destination = property.destination {
      let columns = [toOne.key] + [toOne.targetEntity].compactMap { $0 }
      return Slot(
        index: property.slot, type: .undefinedAttributeType,
        field: .toOne(
          key: 0, entity: toOne.targetEntity == nil ? nil : 1, destination: destination),
        columns: columns)
    }
    guard let attribute = property.description as? NSAttributeDescription else { return nil }
    if let composite = attribute as? NSCompositeAttributeDescription {
      var columns: [String] = []
      let field = field(of: composite, path: composite.name, entity, &columns)
      return Slot(
        index: property.slot, type: .compositeAttributeType, field: field, columns: columns)
    }
    guard let column = entity.attributes[property.name] else { return nil }
    return Slot(
      index: property.slot, type: attribute.attributeType,
      field: .attribute(attribute, column: 0),
      transformable: attribute.attributeType == .transformableAttributeType ? attribute : nil,
      columns: [column], isDerived: attribute is NSDerivedAttributeDescription)
  }

  /// The slot of a value that a uniqueness constraint names. That of a composite's element has the element's columns
  /// alone, and takes the values of the whole composite. Nil for what isn't stored.
  func slot(of value: ConstrainedValue) -> Slot? {
    guard let slot = slots.first(where: { $0.index == value.property.slot }) else { return nil }
    guard !value.elements.isEmpty else { return slot }
    guard let composite = value.property.description as? NSCompositeAttributeDescription else {
      return nil
    }
    var columns: [String] = []
    let field = Self.field(
      of: composite, path: composite.name, entity, &columns, along: value.elements[...])
    guard !columns.isEmpty else { return nil }
    return Slot(index: slot.index, type: slot.type, field: field, columns: columns)
  }

  /// - Parameter names: those of the only element, and of its own only one, and so on; empty for all.
  private static func field(
    of composite: NSCompositeAttributeDescription, path: String, _ entity: SchemaEntity,
    _ columns: inout [String], along names: ArraySlice<String> = []
  ) -> RowField {
    var elements: [RowField.Element] = []
    for element in composite.elements where names.first.map({ $0 == element.name }) ?? true {
      let path = "\(path).\(element.name)"
      if let nested = element as? NSCompositeAttributeDescription {
        elements.append(
          RowField.Element(
            attribute: nested,
            field: field(of: nested, path: path, entity, &columns, along: names.dropFirst())))
      } else if let column = entity.attributes[path] {
        elements.append(
          RowField.Element(
            attribute: element, field: .attribute(element, column: Int32(columns.count))))
        columns.append(column)
      }
    }
    return .composite(elements)
  }

  /// The statement that updates some slots and the version of a row, if it has the given version.
  func updateSQL(_ changed: [Int]) -> String {
    if let sql = updates[changed] { return sql }
    var assignments: [String] = []
    var parameter = 1
    for slot in changed.map({ slots[$0] }) {
      assignments += slot.columns.map { "\($0) = ?" }
      if let order = slot.order {
        // Without a destination there is no position; a new owner sets one.
        assignments.append("\(order) = CASE WHEN ?\(parameter) IS NULL THEN NULL ELSE \(order) END")
      }
      parameter += slot.columns.count
    }
    assignments.append("Z_OPT = ?")
    let sql =
      "UPDATE OR FAIL \(entity.table) SET \(assignments.joined(separator: ", ")) "
      + "WHERE Z_PK = ? AND \(Self.hasVersion(parameter + 2))"
    updates[changed] = sql
    return sql
  }

  /// The indexes in ``slots`` of the values that differ from the store.
  func changedSlots(of row: RowChange) -> [Int] {
    row.mayDiffer ? steps.indices.filter { row.differs(at: steps[$0].index) } : []
  }

  /// The same as a bit set, with the first slot as the lowest bit; nil if there are too many slots.
  @inline(__always)
  func changedBits(of row: RowChange) -> UInt64? {
    guard steps.count <= UInt64.bitWidth else { return nil }
    guard row.mayDiffer else { return 0 }
    var bits: UInt64 = 0
    for position in steps.indices where row.differs(at: steps[position].index) {
      bits |= 1 << UInt64(position)
    }
    return bits
  }
}
