import DataModels
import Foundation
import TestSupport

/// Random edits of a model, each of which leaves it consistent.
struct RandomEdits {
  var generator: SeededGenerator
  /// Inserted into every new name, so that two editors never choose the same one.
  let tag: String
  /// The entities that may be edited; all when nil.
  var scope: Set<String>?
  private var counter = 0

  init(seed: UInt64, tag: String, scope: Set<String>? = nil) {
    generator = SeededGenerator(seed: seed)
    self.tag = tag
    self.scope = scope
  }

  /// Performs a number of edits on a model.
  mutating func edit(_ model: NSManagedObjectModel, times: Int) {
    for _ in 0..<times { edit(model) }
  }

  private mutating func freshName() -> String {
    counter += 1
    return "new\(tag)\(counter)"
  }

  private func editable(_ model: NSManagedObjectModel) -> [NSEntityDescription] {
    model.entities.filter { scope?.contains($0.renamingIdentifier ?? "") ?? true }
  }

  private mutating func edit(_ model: NSManagedObjectModel) {
    guard let entity = editable(model).randomElement(using: &generator) else { return }
    let attributes = entity.ownProperties.compactMap { $0 as? NSAttributeDescription }
      .filter { !($0 is NSDerivedAttributeDescription) }
    let relationships = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0:
      let types: [NSAttributeDescription.AttributeType] = [
        .string, .integer32, .double, .date, .boolean, .binaryData, .uuid,
      ]
      entity.properties.append(
        test(freshName(), types.randomElement(using: &generator) ?? .string))
    case 1:
      attributes.randomElement(using: &generator)?.isOptional.toggle()
    case 2:
      attributes.randomElement(using: &generator)?.userInfo = [freshName(): "note"]
    case 3:
      let attribute = attributes.randomElement(using: &generator)
      attribute?.versionHashModifier = freshName()
    case 4:
      guard let attribute = attributes.randomElement(using: &generator) else { return }
      rename(attribute, in: entity)
    case 5:
      guard let attribute = attributes.randomElement(using: &generator) else { return }
      remove(attribute, from: entity)
    case 6:
      relationships.randomElement(using: &generator)?.deleteRule = .cascadeDeleteRule
    case 7:
      let relationship = relationships.randomElement(using: &generator)
      relationship?.isOrdered.toggle()
    case 8:
      guard let other = editable(model).randomElement(using: &generator) else { return }
      relate(entity, freshName(), toMany: true, other, freshName(), toMany: false)
    case 9:
      let fresh = TestSupport.entity(freshName())
      fresh.properties = [test("name", .string)]
      model.entities.append(fresh)
    case 10:
      entity.isAbstract.toggle()
    default:
      entity.managedObjectClassName = freshName()
    }
  }

  private func test(_ name: String, _ type: NSAttributeDescription.AttributeType)
    -> NSAttributeDescription
  {
    attribute(name, type)
  }

  private mutating func rename(
    _ attribute: NSAttributeDescription, in entity: NSEntityDescription
  ) {
    let old = attribute.name
    let identifier = attribute.renamingIdentifier
    attribute.name = freshName()
    attribute.renamingIdentifier = identifier
    for holder in entity.owningModel?.entities ?? [] where holder.isKindOf(entity: entity) {
      holder.ownUniquenessConstraints = holder.ownUniquenessConstraints.map {
        $0.map { $0 == old ? attribute.name : $0 }
      }
      holder.indexes = holder.indexes.map { before in
        let names = before.elements.compactMap(\.propertyName)
        return index(before.name, names.map { $0 == old ? attribute.name : $0 }, in: holder)
      }
    }
  }

  private func remove(_ attribute: NSAttributeDescription, from entity: NSEntityDescription) {
    for holder in entity.owningModel?.entities ?? [] where holder.isKindOf(entity: entity) {
      holder.ownUniquenessConstraints = holder.ownUniquenessConstraints.filter {
        !$0.contains(attribute.name)
      }
      holder.indexes = holder.indexes.filter {
        !$0.elements.contains { $0.propertyName == attribute.name }
      }
    }
    entity.remove(attribute.name)
  }
}
