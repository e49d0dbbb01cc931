import DataModels
import Foundation

/// Encoding and decoding of a transformable attribute's values, with the transformer in the proper direction.
enum AttributeTransformer {
  /// The encoded bytes of a value.
  ///
  /// - Throws: ``NSCoreDataError`` for a value that can't be encoded or couldn't be decoded again, or a transformer
  ///   that isn't registered.
  static func data(of value: Any, for attribute: NSAttributeDescription) throws -> Data {
    let name = attribute.valueTransformerName
    guard let transformer = try transformer(named: name) else {
      do { return try ValueArchive.data(of: value, allowing: []) } catch {
        throw CoreDataError.make(
          NSCoreDataError,
          "The attribute '\(attribute.name)' names no transformer, but a \(type(of: value)) could not "
            + "be read again without one: register a subclass of "
            + "NSSecureUnarchiveFromDataTransformer that allows the class.",
          userInfo: ["attribute": attribute.name, NSUnderlyingErrorKey: error])
      }
    }
    let made =
      transformer is NSSecureUnarchiveFromDataTransformer
      ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
    if let data = made as? Data { return data }
    throw CoreDataError.make(
      NSCoreDataError,
      "The transformer '\(name ?? "")' of the attribute '\(attribute.name)' returned no data for a "
        + "\(type(of: value)).")
  }

  /// The value decoded from bytes; nil if the transformer can't decode them.
  ///
  /// Where the named transformer isn't registered, as in a program that only looks at an app's store, bytes that are an
  /// archive of plain classes are decoded as one; any others are nil.
  static func value(of data: Data, for attribute: NSAttributeDescription) -> Any? {
    guard let transformer = try? transformer(named: attribute.valueTransformerName) else {
      return try? ValueArchive.value(of: data, allowing: [])
    }
    return transformer is NSSecureUnarchiveFromDataTransformer
      ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
  }

  /// Whether two attributes decode the same bytes to the same value: they name the same transformer, or both store
  /// archives of plain Foundation classes.
  static func readAlike(_ left: NSAttributeDescription, _ right: NSAttributeDescription) -> Bool {
    let (left, right) = (left.valueTransformerName ?? "", right.valueTransformerName ?? "")
    return left == right || keepsPlainArchives(left) && keepsPlainArchives(right)
  }

  private static func keepsPlainArchives(_ name: String) -> Bool {
    if name.isEmpty { return true }
    guard let transformer = try? transformer(named: name) else { return false }
    return type(of: transformer) == NSSecureUnarchiveFromDataTransformer.self
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

extension ValueBox {
  /// Returns the bytes of a transformable value: those that it was decoded from, or the transformer's output.
  @_spi(Engines) public func bytes(for attribute: NSAttributeDescription?) throws -> Data {
    if let encoded { return encoded }
    if let untransformed = value as? UntransformedBytes { return untransformed.data }
    guard let attribute else { return Data() }
    return try AttributeTransformer.data(of: value, for: attribute)
  }

  /// Decodes bytes with an attribute's transformer. If that fails, the result represents the bytes and encodes to the
  /// same ones again.
  @_spi(Engines) public static func value(
    of bytes: Data, for attribute: NSAttributeDescription
  ) -> Any {
    AttributeTransformer.value(of: bytes, for: attribute) ?? UntransformedBytes(data: bytes)
  }
}

/// The bytes of a transformable value that can't be decoded, in place of the value. In a composite's dictionary they
/// are written back unchanged; in predicates and mappings they ensure that an existing value isn't treated as null.
struct UntransformedBytes: Hashable, Sendable {
  /// The stored bytes.
  let data: Data

  /// Holds bytes.
  init(data: Data) { self.data = data }
}
