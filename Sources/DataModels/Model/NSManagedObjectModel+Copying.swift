import Foundation
import OrderedCollections

extension NSManagedObjectModel {
  /// Creates an editable copy of the whole graph: entities, properties, hierarchy, destinations, inverses, indexes,
  /// templates and configurations of the copy refer to each other, never to the original.
  ///
  /// A reference to an object outside the model is kept by name only.
  package final func deepCopy() -> NSManagedObjectModel {
    let copy = NSManagedObjectModel()
    var copies = GraphCopies(capacity: storedEntities.count)
    copy.setEntitiesUnchecked(storedEntities.map { copies.add($0) })
    for entity in storedEntities {
      copies.linkSubentities(of: entity)
      copies.linkProperties(of: entity)
    }
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
    copy.compilerVintage = compilerVintage
    copy.listsIndexesOfAllEntities = listsIndexesOfAllEntities
    copy.preserved = preserved
    return copy
  }
}

extension NSPropertyDescription {
  /// Creates a copy that shares no description with the original, except for the targets of relationships and requests.
  /// A composite's elements are copied at all depths, without recursion. A composite that occurs repeatedly is copied
  /// once, so that cycles terminate.
  final func deepCopy() -> NSPropertyDescription {
    let copy = shallowCopy()
    guard let original = self as? NSCompositeAttributeDescription,
      let composite = copy as? NSCompositeAttributeDescription
    else { return copy }
    var copies = [ObjectIdentifier(original): composite]
    var pending = [(original, composite)]
    while let (source, target) = pending.popLast() {
      target.storedElements = source.storedElements.compactMap { element in
        if let known = copies[ObjectIdentifier(element)] { return known }
        let copied = element.shallowCopy() as? NSAttributeDescription
        if let inner = element as? NSCompositeAttributeDescription,
          let innerCopy = copied as? NSCompositeAttributeDescription
        {
          copies[ObjectIdentifier(inner)] = innerCopy
          pending.append((inner, innerCopy))
        }
        return copied
      }
    }
    return copy
  }
}
