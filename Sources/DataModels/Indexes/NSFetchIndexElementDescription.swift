import Foundation

/// An element of a fetch index: a property or an expression.
///
/// ```swift
/// let newest = NSFetchIndexElementDescription(property: date, collationType: .binary)
/// newest.isAscending = false
/// entity.indexes = [NSFetchIndexDescription(name: "newestFirst", elements: [newest])]
/// ```
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  final var storedPropertyName: String?
  final var storedProperty: NSPropertyDescription?
  final var storedCollationType: NSFetchIndexElementType
  final var storedIsAscending: Bool
  final weak var index: NSFetchIndexDescription?
  final var preserved: (any Sendable)?
  final var isFrozen = false

  /// Creates an ascending element.
  ///
  /// - Parameters:
  ///   - property: An attribute or relationship of the index's entity, or an expression description.
  ///   - collationType: The type of index structure.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    storedPropertyName = property.name
    storedProperty = property is NSExpressionDescription ? property : nil
    storedCollationType = collationType
    storedIsAscending = true
    givenProperty = property
  }

  /// Creates an element with the settings that a decoder has available, without checks.
  ///
  /// - Parameters:
  ///   - propertyName: The name of the property or of the expression description.
  ///   - expression: The expression description of an expression element, otherwise `nil`.
  ///   - collationType: The type of index structure.
  ///   - isAscending: Whether the order is ascending.
  package init(
    propertyName: String?, expression: NSExpressionDescription?,
    collationType: NSFetchIndexElementType, isAscending: Bool
  ) {
    storedPropertyName = propertyName
    storedProperty = expression
    storedCollationType = collationType
    storedIsAscending = isAscending
  }

  /// The attribute or relationship that was passed, used until the index has an entity in which to look up the name, or
  /// that was renamed while it was indexed.
  private final weak var givenProperty: NSPropertyDescription?

  /// The indexed property, looked up by name in the index's entity, or the expression description.
  public final var property: NSPropertyDescription? {
    if let storedProperty { return storedProperty }
    if let name = propertyName, let found = index?.entity?.property(named: name) {
      return found
    }
    return givenProperty
  }

  /// The property's name.
  public final var propertyName: String? {
    givenProperty?.name ?? storedPropertyName
  }

  /// Keeps to a property that is about to be renamed, if the element is over it.
  ///
  /// - Returns: Whether it is.
  final func follow(_ property: NSPropertyDescription) -> Bool {
    if let givenProperty { return givenProperty === property }
    guard storedProperty == nil, storedPropertyName == property.storedName else { return false }
    givenProperty = property
    return true
  }

  /// The expression description of an expression element.
  package final var expressionDescription: NSExpressionDescription? {
    storedProperty as? NSExpressionDescription
  }

  /// The type of index structure for the element.
  open var collationType: NSFetchIndexElementType {
    get { storedCollationType }
    set {
      willChange("setCollationType:")
      guard let index else {
        storedCollationType = newValue
        return
      }
      index.changeElements { storedCollationType = newValue }
    }
  }

  /// Whether the order is ascending. True in a new description.
  open var isAscending: Bool {
    get { storedIsAscending }
    set {
      willChange("setAscending:")
      storedIsAscending = newValue
    }
  }

  /// The index that the element belongs to.
  public final var indexDescription: NSFetchIndexDescription? { index }

  /// Creates an editable copy that doesn't belong to an index.
  open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  /// Whether the other object is an element for an equal property with equal settings.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSFetchIndexElementDescription).map { EntityComparison.areEqual(self, $0) }
      ?? false
  }

  /// A hash that is equal for equal elements.
  open override var hash: Int { propertyName.hashValue }

  final func duplicate() -> NSFetchIndexElementDescription {
    let copy = NSFetchIndexElementDescription(
      propertyName: propertyName,
      expression: expressionDescription?.shallowCopy() as? NSExpressionDescription,
      collationType: storedCollationType, isAscending: storedIsAscending)
    copy.preserved = preserved
    return copy
  }

  final func freeze() {
    isFrozen = true
    storedProperty?.freeze()
  }

  private func willChange(_ selector: StaticString) {
    if isFrozen { Freezing.trap("NSFetchIndexElementDescription", selector) }
  }
}

/// The structure of an index.
public enum NSFetchIndexElementType: UInt, Sendable, CaseIterable {
  /// A B-tree.
  case binary = 0
  /// An R-tree, for ranges of numbers in several dimensions.
  case rTree = 1
}
