import Foundation

/// The copy of each description while a model is being copied: all copies are created first and linked afterwards, so
/// that the graph is not traversed recursively.
struct GraphCopies {
  private var entities: [ObjectIdentifier: NSEntityDescription]
  private var properties: [ObjectIdentifier: NSPropertyDescription] = [:]

  init(capacity: Int) {
    entities = Dictionary(minimumCapacity: capacity)
  }

  func entity(for original: NSEntityDescription) -> NSEntityDescription? {
    entities[ObjectIdentifier(original)]
  }

  /// Copies an entity with its own properties, unlinked.
  mutating func add(_ original: NSEntityDescription) -> NSEntityDescription {
    let copy = original.shallowCopy()
    let own = original.ownPropertyList.map { property in
      let copied = property.deepCopy()
      properties[ObjectIdentifier(property)] = copied
      return copied
    }
    copy.setOwnProperties(own)
    entities[ObjectIdentifier(original)] = copy
    return copy
  }

  /// Makes the copy of one entity represent an equal one as well, property by property.
  mutating func replace(_ duplicate: NSEntityDescription, byCopyOf known: NSEntityDescription) {
    guard let copy = entity(for: known) else { return }
    entities[ObjectIdentifier(duplicate)] = copy
    let copied = Dictionary(
      copy.ownPropertyList.map { ($0.storedName, $0) }, uniquingKeysWith: { first, _ in first })
    for property in duplicate.ownPropertyList {
      properties[ObjectIdentifier(property)] = copied[property.storedName]
    }
  }

  /// Adds the copies of an entity's subentities to those of its copy.
  func linkSubentities(of original: NSEntityDescription) {
    guard let copy = entity(for: original), !original.storedSubentities.isEmpty else { return }
    var below = copy.storedSubentities
    var seen = Set(below.map(ObjectIdentifier.init))
    for entity in original.storedSubentities.compactMap({ entity(for: $0) })
    where seen.insert(ObjectIdentifier(entity)).inserted {
      below.append(entity)
    }
    copy.setSubentitiesUnchecked(below)
  }

  /// Redirects the references in the properties of an entity's copy to copies; called once per copy.
  func linkProperties(of original: NSEntityDescription) {
    guard let copy = entity(for: original) else { return }
    for property in copy.ownPropertyList {
      switch property {
      case let relationship as NSRelationshipDescription: redirect(relationship)
      case let fetched as NSFetchedPropertyDescription:
        if let request = fetched.storedFetchRequest { redirect(request) }
      default: break
      }
    }
  }

  func redirect(_ request: AnyFetchRequest) {
    if let original = request.entity {
      request.setEntity(entity(for: original))
      if request.entity == nil { request.storedEntityName = original.name }
    }
    request.propertiesToFetch = request.propertiesToFetch.map(redirected)
    request.propertiesToGroupBy = request.propertiesToGroupBy.map(redirected)
  }

  private func redirect(_ relationship: NSRelationshipDescription) {
    if let destination = relationship.storedDestination {
      relationship.storedDestination = entity(for: destination)
      if relationship.storedDestination == nil {
        relationship.extra.destinationEntityName = destination.name
      }
    }
    if let inverse = relationship.storedInverse {
      relationship.storedInverse =
        properties[ObjectIdentifier(inverse)] as? NSRelationshipDescription
      if relationship.storedInverse == nil {
        relationship.extra.inverseRelationshipName = inverse.storedName
      }
    }
  }

  private func redirected(_ members: [Any]) -> [Any] {
    members.map { member in
      guard let property = member as? NSPropertyDescription else { return member }
      return properties[ObjectIdentifier(property)] ?? property
    }
  }
}
