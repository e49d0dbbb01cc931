import DataModels

/// The traces of indexes while a model is edited. Its indexes and properties are replaced one after the other, so the
/// traces are brought up to date once, at the end.
extension IndexTraces {
  /// Collects the traces of an entity's current indexes, which from here on don't follow the indexes by themselves.
  init(of entity: NSEntityDescription) {
    entity.tendsIndexTraces = false
    self.init(in: entity)
  }

  /// Whether a property's "indexed" checkbox is the trace of an index.
  func hasIndexAlone(_ name: String) -> Bool { alone.contains(name) }

  /// Removes the traces of removed indexes from an entity, and adds those of new ones.
  ///
  /// - Parameters:
  ///   - declared: Compound indexes that were declared separately, and are kept.
  ///   - isMarked: Whether a property's checkbox was set separately, and is kept.
  func performRefresh(
    _ entity: NSEntityDescription, keeping declared: Set<[String]>,
    isMarked: (NSPropertyDescription) -> Bool
  ) {
    entity.tendsIndexTraces = true
    let now = IndexTraces(in: entity)
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
