import DataModels
import Foundation

/// The values of a composite attribute in the next version of a model, for engines that migrate their stores.
@_spi(Engines) public struct CompositeMigration {
  /// The attribute in the old version.
  public let old: NSCompositeAttributeDescription
  /// The attribute in the new version.
  public let new: NSCompositeAttributeDescription

  /// Creates the migration of an attribute's values to those of another one.
  public init(
    from old: NSCompositeAttributeDescription, to new: NSCompositeAttributeDescription
  ) {
    (self.old, self.new) = (old, new)
  }

  /// Whether all values stay as they are.
  public var changesNothing: Bool { Self.isSame(old, new) }

  /// Returns the value that a value becomes, with each element converted as an attribute would be. Nil stands for a
  /// missing value, which new elements may fill with their defaults.
  ///
  /// - Throws: an error with the reason as its description, if an element can't be converted.
  public func value(_ value: [String: Any]?) throws -> [String: Any]? {
    let stored = value.map { StoredValue.box(ValueBox($0)) } ?? .null
    return Self.values(try MigrationConversion.value(stored, from: old, to: new))
  }

  /// Returns the value of a new attribute, or nil if neither it nor an element has a default.
  public static func standard(_ new: NSCompositeAttributeDescription) -> [String: Any]? {
    values(AttributeCodec.defaultValue(of: new))
  }

  private static func values(_ value: StoredValue) -> [String: Any]? {
    guard case .box(let box) = value else { return nil }
    return box.value as? [String: Any]
  }

  private static func isSame(
    _ old: NSCompositeAttributeDescription, _ new: NSCompositeAttributeDescription
  ) -> Bool {
    old.elements.count == new.elements.count
      && new.elements.allSatisfy { element in
        guard let before = old.element(goingOnAs: element), before.name == element.name,
          before.attributeType == element.attributeType
        else { return false }
        if let before = before as? NSCompositeAttributeDescription,
          let element = element as? NSCompositeAttributeDescription
        {
          return isSame(before, element)
        }
        // A missing value of an element that has become mandatory becomes the default.
        return before.isOptional == element.isOptional
          && (element.attributeType != .transformableAttributeType
            || AttributeTransformer.readAlike(before, element))
      }
  }
}
