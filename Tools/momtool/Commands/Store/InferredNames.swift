import DataModels
import ModelEvolution

/// The old names of a new model's entities and properties, as matched by inference.
struct InferredNames {
  private let correspondence: InferredCorrespondence
  private let source: NSManagedObjectModel
  private let target: NSManagedObjectModel

  /// Matches two models, which are not modified.
  init(from source: NSManagedObjectModel, to target: NSManagedObjectModel) {
    correspondence = InferredCorrespondence(from: source, to: target)
    (self.source, self.target) = (source, target)
  }

  /// The old entity and property that correspond to a property of the new model; the same names if there are none.
  func old(_ property: String, of entity: String) -> (entity: String, property: String) {
    guard let pair = correspondence.entities[entity] else { return (entity, property) }
    return (pair.old, pair.attributes[property] ?? pair.relationships[property] ?? property)
  }

  /// The type of an attribute of the new model.
  func newType(of attribute: String, in entity: String) -> NSAttributeType? {
    target.entitiesByName[entity]?.attributesByName[attribute]?.attributeType
  }

  /// A property of exactly one entity of the old model.
  struct Place {
    let entity: String
    let property: String
  }

  /// The places of a property that continue without it: in its entity and subentities, as far as the new model has
  /// these.
  ///
  /// - Parameter entity: the old entity that declares it.
  func places(losing property: String, of entity: String) -> [Place] {
    let names = Self.hierarchy(source.entitiesByName[entity])
    return correspondence.entities.values.filter { pair in
      names.contains(pair.old) && !pair.attributes.values.contains(property)
        && !pair.relationships.values.contains(property)
    }.map { Place(entity: $0.old, property: property) }
  }

  /// The old places of a property of the new model.
  ///
  /// - Parameter entity: the new entity that declares it.
  func places(of property: String, in entity: String) -> [Place] {
    Self.hierarchy(target.entitiesByName[entity]).map { name in
      let (entity, property) = old(property, of: name)
      return Place(entity: entity, property: property)
    }
  }

  /// The old entities to whose objects a relationship of the new model can't refer any more; nil if there are none.
  func targets(lostBy property: String, of entity: String) -> [String]? {
    let (oldEntity, oldProperty) = old(property, of: entity)
    guard
      let before = source.entitiesByName[oldEntity]?.relationshipsByName[oldProperty]?
        .destinationEntity,
      let after = target.entitiesByName[entity]?.relationshipsByName[property]?.destinationEntity
    else { return nil }
    let successors = Dictionary(
      correspondence.entities.values.map { ($0.old, $0.new) }, uniquingKeysWith: { one, _ in one })
    let kept = Self.hierarchy(after)
    let lost = Self.hierarchy(before).filter { name in
      successors[name].map { !kept.contains($0) } ?? true
    }
    return lost.isEmpty ? nil : lost.sorted()
  }

  /// The names of an entity and its subentities.
  private static func hierarchy(_ entity: NSEntityDescription?) -> Set<String> {
    var names: Set<String> = []
    var next = entity.map { [$0] } ?? []
    while let entity = next.popLast() {
      if names.insert(entity.name ?? "").inserted { next += entity.subentities }
    }
    return names
  }
}
