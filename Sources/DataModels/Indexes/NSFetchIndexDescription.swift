import Foundation

/// An index of an entity, which a store maintains to speed up fetches.
///
/// ```swift
/// let byName = NSFetchIndexDescription(
///   name: "byName",
///   elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
/// entity.indexes = [byName]
/// ```
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  final var storedName: String
  final var storedElements: [NSFetchIndexElementDescription]
  package final var storedPartialIndexPredicate: NSPredicate?
  private final var entityLink: EntityLink?
  final var storedEntity: NSEntityDescription? {
    get { entityLink?.entity }
    set { entityLink = newValue?.link }
  }
  /// Whether Core Data created the index from a plain "indexed" attribute; its archive then doesn't name the entity.
  package final var isSynthesized = false
  final var preserved: (any Sendable)?
  final var isFrozen = false

  /// Creates an index.
  ///
  /// - Parameters:
  ///   - name: Its name, unique in the entity.
  ///   - elements: The elements to order by, the most significant first; `nil` for none yet.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    storedName = name
    storedElements = elements ?? []
    super.init()
    for element in storedElements { element.index = self }
  }

  /// The index's name.
  open var name: String {
    get { storedName }
    set {
      willChange("setName:")
      storedName = newValue
    }
  }

  /// The elements that the index orders by, the most significant first.
  open var elements: [NSFetchIndexElementDescription] {
    get { storedElements }
    set {
      willChange("setElements:")
      changeElements {
        for element in storedElements { element.index = nil }
        storedElements = newValue
        for element in newValue { element.index = self }
      }
    }
  }

  /// The entity that the index belongs to.
  public final var entity: NSEntityDescription? { storedEntity }

  /// A predicate for the objects that the index includes; `nil` for all.
  open var partialIndexPredicate: NSPredicate? {
    get { storedPartialIndexPredicate }
    set {
      willChange("setPartialIndexPredicate:")
      // Core Data copies the predicate; ours are immutable.
      storedPartialIndexPredicate = newValue
    }
  }

  /// Creates an editable copy that doesn't belong to an entity.
  open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  /// Whether the other object is an index with the same name and equal elements.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSFetchIndexDescription).map { EntityComparison.areEqual(self, $0) } ?? false
  }

  /// A textual description: the index's name and elements.
  open override var description: String {
    let names = storedElements.map { $0.propertyName ?? "" }.joined(separator: ", ")
    return "NSFetchIndexDescription \(storedName) (\(names))"
  }

  /// A hash that is equal for equal indexes.
  open override var hash: Int { storedName.hashValue }

  final func duplicate() -> NSFetchIndexDescription {
    let copy = NSFetchIndexDescription(
      name: storedName, elements: storedElements.map { $0.duplicate() })
    copy.storedPartialIndexPredicate = storedPartialIndexPredicate
    copy.isSynthesized = isSynthesized
    copy.preserved = preserved
    return copy
  }

  /// Makes a change of the elements, which the older forms of the entity's indexes follow.
  final func changeElements(_ change: () -> Void) {
    guard let entity = storedEntity else { return change() }
    entity.changeIndexes(change)
  }

  final func freeze() {
    isFrozen = true
    for element in storedElements { element.freeze() }
  }

  private func willChange(_ selector: StaticString) {
    if isFrozen { Freezing.trap("NSFetchIndexDescription", selector) }
  }
}
