import Foundation

extension NSEntityDescription {
  /// The entity's parent entity; set through the parent's ``subentities``.
  public final var superentity: NSEntityDescription? { storedSuperentity }

  /// The entity's direct subentities, in the order in which they were set.
  ///
  /// Setting them makes this entity their superentity. Setting an entity that has another superentity, or that is an
  /// ancestor of this one, traps.
  public final var subentities: [NSEntityDescription] {
    get { storedSubentities }
    set {
      willChange("setSubentities:")
      for entity in newValue {
        Misuse.require(
          entity.storedSuperentity == nil || entity.storedSuperentity === self,
          "-[NSEntityDescription setSubentities:]: '\(entity.name ?? "")' has another superentity")
      }
      Misuse.require(
        !closesCycle(with: newValue),
        "-[NSEntityDescription setSubentities:]: the entities would be below themselves")
      for entity in storedSubentities { entity.storedSuperentity = nil }
      setSubentitiesUnchecked(newValue)
    }
  }

  /// The entity's direct subentities by name.
  public final var subentitiesByName: [String: NSEntityDescription] {
    table(\.subentitiesByName) {
      Dictionary(
        storedSubentities.compactMap { entity in entity.name.map { ($0, entity) } },
        uniquingKeysWith: { first, _ in first })
    }
  }

  /// Whether the entity is the given one, or its descendant.
  public final func isKindOf(entity: NSEntityDescription) -> Bool {
    ancestry.contains { $0 === entity }
  }

  /// Links subentities for a decoder, which has verified that there are no cycles and that no entity has two parents.
  package final func setSubentitiesUnchecked(_ entities: [NSEntityDescription]) {
    storedSubentities = entities
    for entity in entities { entity.storedSuperentity = self }
    StructureGeneration.tick()
  }

  /// The entity, its superentity, and so on up to the root; stops before a cycle repeats.
  package final var ancestry: [NSEntityDescription] {
    guard var next = storedSuperentity else { return [self] }
    var chain = [self, next]
    guard next !== self, let third = next.storedSuperentity else { return chain }
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self), ObjectIdentifier(next)]
    next = third
    while seen.insert(ObjectIdentifier(next)).inserted {
      chain.append(next)
      guard let above = next.storedSuperentity else { break }
      next = above
    }
    return chain
  }

  /// Whether one of the entities is this entity or its ancestor. A leaf can only be this entity itself, so building a
  /// hierarchy in either direction takes linear time.
  private func closesCycle(with entities: [NSEntityDescription]) -> Bool {
    if entities.contains(where: { $0 === self }) { return true }
    let inner = entities.filter { !$0.storedSubentities.isEmpty }
    guard !inner.isEmpty, storedSuperentity != nil else { return false }
    let above = Set(ancestry.map(ObjectIdentifier.init))
    return inner.contains { above.contains(ObjectIdentifier($0)) }
  }
}
