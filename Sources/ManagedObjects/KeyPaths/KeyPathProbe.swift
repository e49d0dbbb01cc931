import DataModels
import Foundation

/// What the properties of objects that record read as, by which a property is told from what a program computes of
/// it: `name` is read as the text that it is given, `name.uppercased()` isn't.
struct KeyPathProbe: Sendable {
  /// The layout of the objects that read so.
  let layout: EntityLayout
  /// The only property they have, which stands for all that are asked for.
  let property: PropertyLayout
  /// What it reads as; nil where a value of any type can't be given.
  let value: StoredValue?
  /// What the layout belongs to, which nobody else keeps.
  private let model: NSManagedObjectModel

  private init?(_ type: NSAttributeType? = nil, _ value: (any Sendable)? = nil) {
    let attribute = NSAttributeDescription()
    attribute.name = "value"
    attribute.isOptional = true
    if let type { attribute.attributeType = type }
    attribute.defaultValue = value
    let entity = NSEntityDescription()
    entity.name = "KeyPath"
    // No class's name: nobody takes the entity for theirs.
    entity.managedObjectClassName = "-"
    entity.properties = [attribute]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    guard let layout = ModelLayout.of(model)["KeyPath"], let property = layout.values.first else {
      return nil
    }
    layout.recordsKeys = true
    (self.layout, self.property, self.model) = (layout, property, model)
    self.value = type == nil ? nil : property.defaultValue
  }

  /// The probes for key paths that lead to values of a type. Of two, one reads as what a program may take for
  /// nothing: `isOpen || isNew` shows its second property by that one alone.
  static func probes(for type: Any.Type) -> [KeyPathProbe] {
    switch type {
    case is Bool.Type: flags
    case is any FixedWidthInteger.Type: integers
    case is any BinaryFloatingPoint.Type: numbers
    case is String.Type: texts
    case is Date.Type: dates
    case is Data.Type: bytes
    default: plain
    }
  }

  private static let flags = [
    KeyPathProbe(.booleanAttributeType, true), KeyPathProbe(.booleanAttributeType, false),
  ].compactMap { $0 }
  private static let integers = [
    KeyPathProbe(.integer64AttributeType, -3), KeyPathProbe(.integer64AttributeType, 0),
  ].compactMap { $0 }
  private static let numbers = [
    KeyPathProbe(.doubleAttributeType, -3.25), KeyPathProbe(.doubleAttributeType, 0.0),
  ].compactMap { $0 }
  private static let texts = [
    KeyPathProbe(.stringAttributeType, " kEy "), KeyPathProbe(.stringAttributeType, ""),
  ].compactMap { $0 }
  private static let dates = [
    KeyPathProbe(.dateAttributeType, Date(timeIntervalSinceReferenceDate: -3.25)),
    KeyPathProbe(.dateAttributeType, Date(timeIntervalSinceReferenceDate: 0)),
  ].compactMap { $0 }
  private static let bytes = [
    KeyPathProbe(.binaryDataAttributeType, Data([1, 2])),
    KeyPathProbe(.binaryDataAttributeType, Data()),
  ].compactMap { $0 }
  private static let plain = [KeyPathProbe()].compactMap { $0 }

  /// Whether a value that was read is the one that was given.
  func isGiven(_ read: Any?) -> Bool {
    switch value {
    case .integer(let number):
      (read as? Bool).map { $0 == (number != 0) }
        ?? (read as? any BinaryInteger).map { Int64(truncatingIfNeeded: $0) == number } ?? false
    case .real(let number):
      (read as? Date)?.timeIntervalSinceReferenceDate == number
        || (read as? any BinaryFloatingPoint).map { Double($0) == number } ?? false
    case .text(let text): read as? String == text
    case .data(let data): read as? Data == data
    default: true
    }
  }
}
