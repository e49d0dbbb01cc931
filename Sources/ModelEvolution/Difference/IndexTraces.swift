import DataModels

/// What an entity's fetch indexes leave in the older ways to say the same: the "indexed" checkbox of
/// a property that has an index alone, and the list of compound indexes.
///
/// Compilers write both beside the fetch indexes; an edit of the indexes must keep them in step.
struct IndexTraces {
  private var alone: [String] = []
  private var compound: [[String]] = []

  /// No traces.
  init() {}

  /// The traces of an entity's indexes as they are.
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

  /// Removes from an entity the traces of indexes that are gone, and adds those of new ones.
  ///
  /// - Parameters:
  ///   - declared: compound indexes that were asked for by themselves, and stay.
  ///   - isMarked: whether a property's checkbox was asked for by itself, and stays.
  func bringUpToDate(
    _ entity: NSEntityDescription, keeping declared: Set<[String]>,
    isMarked: (NSPropertyDescription) -> Bool
  ) {
    let now = IndexTraces(of: entity)
    guard now.alone != alone || now.compound != compound else { return }
    let gone = Set(compound).subtracting(now.compound).subtracting(declared)
    let kept = entity.compoundIndexNames.filter { !gone.contains($0) }
    let known = Set(kept).union(compound)
    entity.compoundIndexes = kept + now.compound.filter { !known.contains($0) }
    // An index over an inherited property leaves no trace: the checkbox is the parent's.
    let own = Dictionary(
      entity.ownProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for name in Set(alone).subtracting(now.alone) {
      guard let property = own[name], !isMarked(property) else { continue }
      property.isIndexed = false
    }
    for name in Set(now.alone).subtracting(alone) { own[name]?.isIndexed = true }
  }
}
