import Foundation
import OrderedCollections

extension NSManagedObjectModel {
  /// An editable copy of the whole graph: entities, properties, hierarchy, destinations, inverses,
  /// indexes, templates and configurations of the copy point at each other, never at the original.
  ///
  /// A reference that leads out of the model stays known by its name only.
  package final func deepCopy() -> NSManagedObjectModel {
    let copy = NSManagedObjectModel()
    var copies = GraphCopies(capacity: storedEntities.count)
    copy.setEntitiesUnchecked(storedEntities.map { copies.add($0) })
    for entity in storedEntities { copies.link(entity) }
    copy.storedConfigurations = storedConfigurations.mapValues { members in
      members.compactMap { copies.entity(for: $0) }
    }
    for (name, request) in storedTemplates {
      let template = request.duplicate()
      copies.redirect(template)
      template.joinModel()
      copy.storedTemplates[name] = template
    }
    copy.storedVersionIdentifiers = storedVersionIdentifiers
    copy.storedLocalizationDictionary = storedLocalizationDictionary
    copy.compilerStamp = compilerStamp
    copy.preserved = preserved
    return copy
  }
}

/// Which copy stands for which description while a model is copied: first all are made, then all
/// are linked, so that no recursion follows the graph.
private struct GraphCopies {
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

  /// Points everything of an entity's copy at copies.
  func link(_ original: NSEntityDescription) {
    guard let copy = entity(for: original) else { return }
    copy.setSubentitiesUnchecked(original.storedSubentities.compactMap { entity(for: $0) })
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
    guard let original = request.entity else { return }
    request.setEntity(entity(for: original))
    if request.entity == nil { request.storedEntityName = original.name }
    request.storedPropertiesToFetch = request.storedPropertiesToFetch.map(redirected)
    request.storedPropertiesToGroupBy = request.storedPropertiesToGroupBy.map(redirected)
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

extension NSPropertyDescription {
  /// A copy that shares no description with the original, besides what relationships and requests
  /// point at: a composite's elements are copied too, at any depth, in a loop.
  final func deepCopy() -> NSPropertyDescription {
    let copy = shallowCopy()
    guard let original = self as? NSCompositeAttributeDescription,
      let composite = copy as? NSCompositeAttributeDescription
    else { return copy }
    var pending = [(original, composite)]
    while let (source, target) = pending.popLast() {
      target.storedElements = source.storedElements.compactMap { element in
        let copied = element.shallowCopy()
        if let inner = element as? NSCompositeAttributeDescription,
          let innerCopy = copied as? NSCompositeAttributeDescription
        {
          pending.append((inner, innerCopy))
        }
        return copied as? NSAttributeDescription
      }
    }
    return copy
  }
}
