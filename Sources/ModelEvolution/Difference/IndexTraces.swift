import DataModels

/// The traces of an entity's fetch indexes in the older representations: the "indexed" checkbox of a property with an
/// index of its own, and the list of compound indexes.
///
/// Compilers write both in addition to the fetch indexes, so an edit of the indexes must keep them consistent.
struct IndexTraces {
  private var alone: [String] = []
  private var compound: [[String]] = []

  /// Creates an empty instance.
  init() {}

  /// Collects the traces of an entity's current indexes.
  init(of entity: NSEntityDescription) {
    for index in entity.indexes where index.elements.allSatisfy(Self.isPlain) {
      let names = index.elements.compactMap(\.propertyName)
      if names.count == 1 { alone += names } else { compound.append(names) }
    }
  }

  /// Whether a property's "indexed" checkbox is the trace of an index.
  func hasIndexAlone(_ name: String) -> Bool { alone.contains(name) }

  private static func isPlain(_ element: NSFetchIndexElementDescription) -> Bool {
    element.expressionDescription == nil && element.collationType == .binary
  }

  /// Removes the traces of removed indexes from an entity, and adds those of new ones.
  ///
  /// - Parameters:
  ///   - declared: Compound indexes that were declared separately, and are kept.
  ///   - isMarked: Whether a property's checkbox was set separately, and is kept.
  func performRefresh(
    _ entity: NSEntityDescription, keeping declared: Set<[String]>,
    isMarked: (NSPropertyDescription) -> Bool
  ) {
    let now = IndexTraces(of: entity)
    guard now.alone != alone || now.compound != compound else { return }
    let gone = Set(compound).subtracting(now.compound).subtracting(declared)
    let kept = entity.compoundIndexNames.filter { !gone.contains($0) }
    let known = Set(kept).union(compound)
    entity.compoundIndexes = kept + now.compound.filter { !known.contains($0) }
    // An index over an inherited property leaves no trace: the checkbox belongs to the parent.
    let own = Dictionary(
      entity.ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for name in Set(alone).subtracting(now.alone) {
      guard let property = own[name], !isMarked(property) else { continue }
      property.isIndexed = false
    }
    for name in Set(now.alone).subtracting(alone) { own[name]?.isIndexed = true }
  }
}
