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
      let places = Dictionary(
        columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
      return {
        // One for each row: a handler may keep it, and an emptied one would have to grow again.
        let dictionary = NSMutableDictionary(capacity: columns.count)
        if handler(dictionary) { return nil }
        // Only this visits what is there without looking for each key, which Foundation hashes in UTF-16.
        var values = [Any?](repeating: nil, count: columns.count)
        dictionary.enumerateKeysAndObjects { key, value, _ in
          if let place = (key as? String).flatMap({ places[$0] }) { values[place] = value }
        }
        return try Self.row(columns: columns, layout: layout) { values[$0] }
      }
    }
    var rest = (objectsToInsert ?? [])[...]
    return {
      try rest.popFirst().map { row in
        try Self.row(columns: columns, layout: layout) { row[columns[$0].name] }
      }
    }
  }

  /// - Parameter value: returns what is given for one of the columns.
  private static func row(
    columns: [PropertyLayout], layout: EntityLayout, _ value: (Int) -> Any?
  ) throws -> BatchInsertion.Row {
    var values = layout.defaultValues
    var given: [Int] = []
    given.reserveCapacity(columns.count)
    for (place, property) in columns.enumerated() {
      guard let value = value(place) else { continue }
      guard let stored = AttributeCodec.stored(value, type: property.attributeType) else {
        throw CoreDataError.make(
          NSCoreDataError,
          "Unacceptable type of value for attribute: property = \"\(property.name)\"; entity = "
            + "\(layout.name); given type = \(type(of: value)); value = \(value).",
          userInfo: [NSValidationKeyErrorKey: property.name, NSValidationValueErrorKey: value])
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
        userInfo: [NSValidationKeyErrorKey: property.name])
    }
    return BatchInsertion.Row(values: values, given: given)
  }
}
