import DataModels
import ModelEvolution

/// The old names of a new model's entities and properties, as matched by inference.
struct InferredNames {
  private let correspondence: InferredCorrespondence
  private let target: NSManagedObjectModel

  /// Matches two models, which are not modified.
  init(from source: NSManagedObjectModel, to target: NSManagedObjectModel) {
    correspondence = InferredCorrespondence(from: source, to: target)
    self.target = target
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
}
