import Foundation

/// One property, or one expression, of a fetch index.
open class NSFetchIndexElementDescription: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  final var storedPropertyName: String?
  final var storedProperty: NSPropertyDescription?
  final var storedCollationType: NSFetchIndexElementType
  final var storedIsAscending: Bool
  final weak var index: NSFetchIndexDescription?
  final var preserved: (any Sendable)?
  final var isFrozen = false

  /// Makes an ascending element.
  ///
  /// - Parameters:
  ///   - property: An attribute or relationship of the index's entity, or an expression
  ///     description.
  ///   - collationType: How the index orders it.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    storedPropertyName = property.name
    storedProperty = property is NSExpressionDescription ? property : nil
    storedCollationType = collationType
    storedIsAscending = true
    givenProperty = property
  }

  /// Makes an element with the settings a decoder has at hand; nothing is checked.
  ///
  /// - Parameters:
  ///   - propertyName: The property's name, or the expression description's.
  ///   - expression: The expression description of an expression element, else `nil`.
  ///   - collationType: How the index orders it.
  ///   - isAscending: Whether small values come first.
  package init(
    propertyName: String?, expression: NSExpressionDescription?,
    collationType: NSFetchIndexElementType, isAscending: Bool
  ) {
    storedPropertyName = propertyName
    storedProperty = expression
    storedCollationType = collationType
    storedIsAscending = isAscending
  }

  /// The attribute or relationship given, until the index has an entity to look the name up in.
  private final weak var givenProperty: NSPropertyDescription?

  /// The property indexed, or the expression description; looked up by name in the index's entity.
  public final var property: NSPropertyDescription? {
    if let storedProperty { return storedProperty }
    if let name = storedPropertyName, let found = index?.entity?.property(named: name) {
      return found
    }
    return givenProperty
  }

  /// The property's name.
  public final var propertyName: String? {
    givenProperty?.name ?? storedPropertyName
  }

  /// The expression description of an expression element.
  package final var expressionDescription: NSExpressionDescription? {
    storedProperty as? NSExpressionDescription
  }

  /// How the index orders the element.
  open var collationType: NSFetchIndexElementType {
    get { storedCollationType }
    set {
      willChange("setCollationType:")
      storedCollationType = newValue
    }
  }

  /// Whether small values come first. True in a new description.
  open var isAscending: Bool {
    get { storedIsAscending }
    set {
      willChange("setAscending:")
      storedIsAscending = newValue
    }
  }

  /// The index the element belongs to.
  public final var indexDescription: NSFetchIndexDescription? { index }

  /// Makes an editable copy that belongs to no index.
  open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  /// Whether the other orders by an equal property in the same way.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSFetchIndexElementDescription).map { EntityComparison.areEqual(self, $0) }
      ?? false
  }

  /// Equal elements have equal hashes.
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

/// How an index orders what it holds.
public enum NSFetchIndexElementType: UInt, Sendable, CaseIterable {
  /// A sorted tree.
  case binary = 0
  /// A tree of ranges, for numbers in several dimensions.
  case rTree = 1
}
