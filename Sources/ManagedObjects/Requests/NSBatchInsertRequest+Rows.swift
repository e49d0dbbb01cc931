import DataModels
import Foundation

/// The rows of a batch insert.
extension NSBatchInsertRequest {
  /// Returns an iterator over the rows.
  final func rows(of layout: EntityLayout) -> () throws -> BatchInsertion.Row? {
    let columns = layout.values.filter { $0.kind != .toOne && !$0.isTransient && !$0.isDerived }
    if let handler = managedObjectHandler {
      return {
        let object = ObjectHandoff.makeObject(of: layout, in: nil)
        if handler(object) { return nil }
        let values = layout.values.map { object.storedValue(at: $0.slot) }
        return try Self.checked(
          values, given: columns.map(\.slot).filter { !values[$0].isNull }, columns: columns,
          layout: layout)
      }
    }
    if let handler = dictionaryHandler {
      return {
        let dictionary = NSMutableDictionary()
        if handler(dictionary) { return nil }
        var values: [String: Any] = [:]
        for (key, value) in dictionary {
          if let name = key as? String { values[name] = value }
        }
        return try Self.row(of: values, columns: columns, layout: layout)
      }
    }
    var rest = (objectsToInsert ?? [])[...]
    return { try rest.popFirst().map { try Self.row(of: $0, columns: columns, layout: layout) } }
  }

  private static func row(
    of dictionary: [String: Any], columns: [PropertyLayout], layout: EntityLayout
  ) throws -> BatchInsertion.Row {
    var values = layout.defaultValues
    var given: [Int] = []
    for property in columns {
      guard let value = dictionary[property.name] else { continue }
      guard let stored = AttributeCodec.stored(value, type: property.attributeType) else {
        throw CoreDataError.make(
          NSCoreDataError,
          "Unacceptable type of value for attribute: property = \"\(property.name)\"; entity = "
            + "\(layout.name); given type = \(type(of: value)); value = \(value).",
          [NSValidationKeyErrorKey: property.name, NSValidationValueErrorKey: value])
      }
      values[property.slot] = stored
      given.append(property.slot)
    }
    return try checked(values, given: given, columns: columns, layout: layout)
  }

  private static func checked(
    _ values: [StoredValue], given: [Int], columns: [PropertyLayout], layout: EntityLayout
  ) throws -> BatchInsertion.Row {
    for property in columns where !property.isOptional && values[property.slot].isNull {
      throw CoreDataError.make(
        NSValidationMissingMandatoryPropertyError,
        "\(property.name) is a required value of \(layout.name).",
        [NSValidationKeyErrorKey: property.name])
    }
    return BatchInsertion.Row(values: values, given: given)
  }
}
