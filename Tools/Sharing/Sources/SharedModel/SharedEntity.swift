import Foundation
import MomKit

/// An entity, with the properties that travel between app and server.
///
/// An object is known by its `identifier` everywhere, and the server counts its changes in `revision`. Each
/// relationship travels with one of its two ends only, the one whose entity comes later in
/// ``SharedModel/entityNames``: a note travels with its site and tags. Thus a change of a relationship is a change of
/// one object.
package struct SharedEntity: Sendable {
  package static let identifierKey = "identifier"
  package static let revisionKey = "revision"

  package let name: String
  package let entity: NSEntityDescription
  /// The attributes that travel, by name.
  package let attributes: [String: NSAttributeDescription]
  /// The relationships that travel, by name.
  package let relationships: [String: NSRelationshipDescription]

  init(_ entity: NSEntityDescription) {
    let name = entity.name ?? ""
    self.name = name
    self.entity = entity
    attributes = entity.attributesByName.filter {
      $0.key != Self.identifierKey && $0.key != Self.revisionKey
    }
    relationships = entity.relationshipsByName.filter {
      guard let other = $0.value.destinationEntity?.name,
        let otherPlace = SharedModel.entityNames.firstIndex(of: other),
        let place = SharedModel.entityNames.firstIndex(of: name)
      else { return false }
      return otherPlace < place
    }
  }

  /// The names of the properties that travel.
  package var propertyNames: Set<String> {
    Set(attributes.keys).union(relationships.keys)
  }

  /// Returns a request for the objects with some identifiers.
  package func request(_ identifiers: some Sequence<UUID>) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: name)
    request.predicate = NSPredicate(
      format: "identifier IN %@", argumentArray: [Array(identifiers)])
    request.returnsObjectsAsFaults = false
    return request
  }

  /// Returns the objects with some identifiers.
  package func objects(
    _ identifiers: some Collection<UUID>, in context: NSManagedObjectContext
  ) throws -> [UUID: NSManagedObject] {
    guard !identifiers.isEmpty else { return [:] }
    let found = try context.fetch(request(identifiers))
    return Dictionary(
      found.compactMap { object in object.sharedIdentifier.map { ($0, object) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns what an object's property holds, as it travels.
  package func value(of name: String, in object: NSManagedObject) -> WireValue? {
    if let attribute = attributes[name] {
      return WireValue(object.value(forKey: name), attribute.attributeType)
    }
    guard let relationship = relationships[name] else { return nil }
    guard relationship.isToMany else {
      let other = object.value(forKey: name) as? NSManagedObject
      return other?.sharedIdentifier.map { .string($0.uuidString) } ?? .null
    }
    let others = object.value(forKey: name) as? Set<NSManagedObject> ?? []
    return .list(others.compactMap { $0.sharedIdentifier?.uuidString }.sorted().map { .string($0) })
  }

  /// Returns an object as it travels.
  ///
  /// - Parameter names: the properties; nil for all.
  package func state(
    _ object: NSManagedObject, only names: Set<String>? = nil
  ) -> ObjectState? {
    guard let identifier = object.sharedIdentifier else { return nil }
    var values: [String: WireValue] = [:]
    for name in names ?? propertyNames { values[name] = value(of: name, in: object) }
    return ObjectState(
      entity: name, id: identifier, version: object.sharedRevision, values: values)
  }
}

extension NSManagedObject {
  /// The identifier by which app and server know the object.
  package var sharedIdentifier: UUID? { value(forKey: SharedEntity.identifierKey) as? UUID }

  /// The number of changes that the server has saved; 0 if it doesn't know the object.
  package var sharedRevision: Int64 {
    get { value(forKey: SharedEntity.revisionKey) as? Int64 ?? 0 }
    set { setValue(newValue, forKey: SharedEntity.revisionKey) }
  }
}
