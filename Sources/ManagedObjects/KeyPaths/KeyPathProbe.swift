import DataModels
import Foundation

/// Probe values for the properties of recording objects. They distinguish a property from a value computed from it:
/// `name` returns the probe's text, `name.uppercased()` doesn't.
struct KeyPathProbe: Sendable {
  /// The layout of the recording objects.
  let layout: EntityLayout
  /// Their only property, which stands for all that are read.
  let property: PropertyLayout
  /// The property's value; nil for a type without a probe value.
  let value: StoredValue?
  /// Keeps the layout's model alive.
  private let model: NSManagedObjectModel

  private init?(_ type: NSAttributeType? = nil, _ value: (any Sendable)? = nil) {
    let attribute = NSAttributeDescription()
    attribute.name = "value"
    attribute.isOptional = true
    if let type { attribute.attributeType = type }
    attribute.defaultValue = value
    let entity = NSEntityDescription()
    entity.name = "KeyPath"
    // Not the name of a class, so that no class is matched to the entity.
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

  /// The probes for key paths to values of a type. Of two, one is a value that code may treat as "empty":
  /// `isOpen || isNew` reads its second property only with that one.
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

  /// Whether a value that was read equals the probe's value.
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
