import Foundation
import ManagedModel

/// The transformer of a transformable attribute, and which way round it is used.
package enum AttributeTransformer {
  /// The bytes of a value.
  ///
  /// - Throws: ``NSCoreDataError`` for a value that can't be transformed, or a transformer that isn't
  ///   registered.
  package static func data(of value: Any, for attribute: NSAttributeDescription) throws -> Data {
    let name = attribute.valueTransformerName
    guard let transformer = try transformer(named: name) else {
      return try ValueArchive.data(of: value)
    }
    let made =
      transformer is NSSecureUnarchiveFromDataTransformer
      ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
    if let data = made as? Data { return data }
    throw CoreDataError.make(
      NSCoreDataError,
      "The transformer '\(name ?? "")' of the attribute '\(attribute.name)' makes no data of a "
        + "\(type(of: value)).")
  }

  /// The value of bytes; nil when the transformer can't read them or isn't registered.
  package static func value(of data: Data, for attribute: NSAttributeDescription) -> Any? {
    guard let transformer = try? transformer(named: attribute.valueTransformerName) else {
      return try? ValueArchive.value(of: data, allowing: [])
    }
    return transformer is NSSecureUnarchiveFromDataTransformer
      ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
  }

  private static func transformer(named name: String?) throws -> ValueTransformer? {
    guard let name, !name.isEmpty else { return nil }
    if let known = ValueTransformer(forName: NSValueTransformerName(name)) { return known }
    throw CoreDataError.make(
      NSCoreDataError,
      "There is no value transformer '\(name)': register one with "
        + "ValueTransformer.setValueTransformer(_:forName:).")
  }
}
