import DataModels
import ModelEvolution

/// What the entities and properties of a new model are called in the old one, as inference matches them.
struct InferredNames {
  private let correspondence: InferredCorrespondence
  private let target: NSManagedObjectModel

  /// Matches two models; neither is changed.
  init(from source: NSManagedObjectModel, to target: NSManagedObjectModel) {
    correspondence = InferredCorrespondence(from: source, to: target)
    self.target = target
  }

  /// The entity and property that go on as a property of the new model; of what has no match, the same names.
  func old(_ property: String, of entity: String) -> (entity: String, property: String) {
    guard let pair = correspondence.entities[entity] else { return (entity, property) }
    return (pair.old, pair.attributes[property] ?? pair.relationships[property] ?? property)
  }

  /// The type of an attribute of the new model.
  func newType(of attribute: String, in entity: String) -> NSAttributeType? {
    target.entitiesByName[entity]?.attributesByName[attribute]?.attributeType
  }
}
