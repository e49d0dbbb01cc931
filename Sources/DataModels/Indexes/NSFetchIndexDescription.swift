import Foundation

/// An index of an entity: what a store keeps sorted so that fetches are fast.
///
/// ```swift
/// let byName = NSFetchIndexDescription(
///   name: "byName",
///   elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
/// entity.indexes = [byName]
/// ```
open class NSFetchIndexDescription: NSObject, NSCopying, @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  final var storedName: String
  final var storedElements: [NSFetchIndexElementDescription]
  package final var storedPartialIndexPredicate: NSPredicate?
  private final var entityLink: EntityLink?
  final var storedEntity: NSEntityDescription? {
    get { entityLink?.entity }
    set { entityLink = newValue?.link }
  }
  /// Whether Core Data made the index from a plain "indexed" attribute: its archive then doesn't
  /// name the entity.
  package final var isSynthesized = false
  final var preserved: (any Sendable)?
  final var isFrozen = false

  /// Makes an index.
  ///
  /// - Parameters:
  ///   - name: Its name, unique in the entity.
  ///   - elements: What it orders by, the most important first; `nil` for none yet.
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

  /// What the index orders by, the most important first.
  open var elements: [NSFetchIndexElementDescription] {
    get { storedElements }
    set {
      willChange("setElements:")
      for element in storedElements { element.index = nil }
      storedElements = newValue
      for element in newValue { element.index = self }
    }
  }

  /// The entity the index belongs to.
  public final var entity: NSEntityDescription? { storedEntity }

  /// Which objects the index holds; `nil` for all.
  open var partialIndexPredicate: NSPredicate? {
    get { storedPartialIndexPredicate }
    set {
      willChange("setPartialIndexPredicate:")
      // Core Data copies it; predicates don't change.
      storedPartialIndexPredicate = newValue
    }
  }

  /// Makes an editable copy that belongs to no entity.
  open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  /// Whether the other is an index of the same name over equal elements.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSFetchIndexDescription).map { EntityComparison.areEqual(self, $0) } ?? false
  }

  /// A line for people: the index's name and what it is over.
  open override var description: String {
    let names = storedElements.map { $0.propertyName ?? "" }.joined(separator: ", ")
    return "NSFetchIndexDescription \(storedName) (\(names))"
  }

  /// Equal indexes have equal hashes.
  open override var hash: Int { storedName.hashValue }

  final func duplicate() -> NSFetchIndexDescription {
    let copy = NSFetchIndexDescription(
      name: storedName, elements: storedElements.map { $0.duplicate() })
    copy.storedPartialIndexPredicate = storedPartialIndexPredicate
    copy.isSynthesized = isSynthesized
    copy.preserved = preserved
    return copy
  }

  final func freeze() {
    isFrozen = true
    for element in storedElements { element.freeze() }
  }

  private func willChange(_ selector: StaticString) {
    if isFrozen { Freezing.trap("NSFetchIndexDescription", selector) }
  }
}
