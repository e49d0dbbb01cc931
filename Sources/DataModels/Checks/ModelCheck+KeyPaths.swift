import Foundation
import PredicateFormat

// Rules about the key paths in expressions and predicates.
extension ModelCheck {
  /// Follows a key path through relationships and composites.
  ///
  /// - Parameters:
  ///   - path: The keys, joined by dots. Operators (`@count`) and the keys after them are not checked.
  ///   - entity: The entity at which the path starts; `nil` for the entity being checked.
  /// - Returns: The first key that doesn't exist, or `nil` if all of them do.
  mutating func unknownKey(in path: String, from entity: NSEntityDescription?) -> String? {
    var property: NSPropertyDescription?
    for (place, part) in path.split(separator: ".").enumerated() {
      let key = String(part)
      if key.hasPrefix("@") { return nil }
      if place == 0 {
        property =
          entity.map { nearestProperty(named: key, from: $0) } ?? visibleProperty(named: key)
      } else {
        switch property {
        case let relationship as NSRelationshipDescription:
          // A relationship without a valid destination is reported elsewhere.
          guard let destination = destination(of: relationship) else { return nil }
          property = nearestProperty(named: key, from: destination)
        case let composite as NSCompositeAttributeDescription:
          property = composite.storedElements.first { $0.storedName == key }
        // Keys of a value, such as `length` or `timeIntervalSinceReferenceDate`, are not checked.
        default: return nil
        }
      }
      if property == nil { return key }
    }
    return nil
  }

  /// The destination, if it is in the model.
  func destination(of relationship: NSRelationshipDescription) -> NSEntityDescription? {
    if let destination = relationship.storedDestination {
      return contains(destination) ? destination : nil
    }
    return relationship.destinationEntityName.flatMap { entitiesByName[$0] }
  }

  /// Warns about key paths in a request's predicate that its entity doesn't have.
  mutating func checkPredicate(
    of request: AnyFetchRequest, in entity: NSEntityDescription?, at property: String?,
    _ subject: String
  ) {
    guard let predicate = request.predicate,
      let target = request.entity ?? request.storedEntityName.flatMap({ entitiesByName[$0] })
    else { return }
    for path in KeyPathReader.paths(in: predicate.tree) {
      // Keys that every managed object supports in addition to its properties.
      if ["objectID", "entity", "self"].contains(path) { continue }
      guard let key = unknownKey(in: path, from: target) else { continue }
      report(
        .keyPath, as: .warning, in: entity, at: property,
        "\(subject) uses '\(path)', but '\(key)' doesn't exist in '\(target.name ?? "")' or"
          + " behind it")
    }
  }
}
