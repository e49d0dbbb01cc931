import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import DataModels

/// Randomly broken models, as a decoder might produce them: every operation on them must terminate, and the check
/// must report a problem.
@Suite struct SabotageTests {
  @Test(arguments: UInt64(0)..<80) func brokenModelsAnswerEveryQuestion(seed: UInt64) throws {
    let model = RandomModel(seed: seed, entities: 2...10, attributes: 1...5).model()
    var saboteur = Saboteur(model: model, seed: seed)
    for _ in 0..<Int(seed % 5) + 1 { saboteur.breakSomething() }
    withExtendedLifetime(saboteur) {
      Self.ask(model)
      Self.ask(model.deepCopy())
      if let merged = try? NSManagedObjectModel.merging([model, model.deepCopy()]) {
        Self.ask(merged)
      }
      let isEqual = model == model.deepCopy()
      model.freeze()
      Self.ask(model)
      #expect(isEqual || !model.findings().isEmpty)
      if saboteur.mustBeNoticed {
        #expect(throws: ModelError.self) { try model.validate() }
      }
    }
  }

  /// Performs every operation that traverses the graph.
  private static func ask(_ model: NSManagedObjectModel) {
    _ = model.findings()
    _ = model.versionChecksum
    _ = model.versionHashesDigest
    _ = model.entitiesByName
    _ = try? model.versionHashes()
    for entity in model.entities {
      _ = entity.properties
      _ = entity.relationshipsByName
      _ = entity.subentitiesByName
      _ = entity.versionHash
      _ = entity.uniquenessConstraints
      _ = entity.isKindOf(entity: model.entities[0])
      _ = entity == model.entities[0]
      for property in entity.ownProperties {
        _ = property.versionHash
        _ = property.copy()
        _ = (property as? NSAttributeDescription)?.defaultValue
        _ = (property as? NSRelationshipDescription)?.inverseRelationship?.destinationEntity
      }
      for index in entity.indexes { _ = index.elements.map(\.property) }
    }
  }
}

/// Breaks one thing after another.
private struct Saboteur {
  let model: NSManagedObjectModel
  var random: SeededGenerator
  /// Whether something was broken that every check must detect.
  var mustBeNoticed = false
  /// Keeps alive what the model refers to but doesn't contain.
  var strangers: [NSEntityDescription] = []

  init(model: NSManagedObjectModel, seed: UInt64) {
    self.model = model
    random = SeededGenerator(seed: seed &* 7919)
  }

  mutating func breakSomething() {
    guard let entity = random.pick(model.entities) else { return }
    switch random.number(0...11) {
    case 0:
      entity.storedName = nil
      mustBeNoticed = true
    case 1:
      entity.storedSuperentity = entity
      mustBeNoticed = true
    case 2:
      let other = random.pick(model.entities)
      other?.storedSuperentity = entity
      entity.storedSuperentity = other
      mustBeNoticed = true
    case 3:
      let stranger = NSEntityDescription(name: "Stranger", className: nil, isAbstract: true)
      strangers.append(stranger)
      entity.storedSuperentity = stranger
      mustBeNoticed = true
    case 4: entity.setOwnProperties(entity.ownProperties + [attribute("hash", .undefined)])
    case 5: entity.ownProperties.first?.storedName = ""
    case 6:
      entity.setOwnProperties(entity.ownProperties + entity.ownProperties.map { $0.deepCopy() })
    case 7: breakRelationship(of: entity)
    case 8:
      entity.setIndexesUnchecked([
        NSFetchIndexDescription(
          name: "",
          elements: [
            NSFetchIndexElementDescription(
              propertyName: nil, expression: nil, collationType: .rTree, isAscending: true)
          ])
      ])
      mustBeNoticed = true
    case 9:
      entity.extra.uniquenessConstraints = [[], ["nothing", "a.b.c", ""], [""]]
      mustBeNoticed = true
    case 10:
      let composite = NSCompositeAttributeDescription()
      composite.storedName = "composite"
      composite.storedElements = [attribute("x"), attribute("x")]
      entity.setOwnProperties(entity.ownProperties + [composite])
      mustBeNoticed = true
    default:
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Nobody")
      request.predicate = NSPredicate(.compare(.key("a.b..c"), .equalTo, .key("")))
      model.storedTemplates["broken"] = request
      mustBeNoticed = true
    }
  }

  private mutating func breakRelationship(of entity: NSEntityDescription) {
    let relationship = relationship("broken", max: Int.min, min: Int.max)
    relationship.destinationEntityName = random.pick(["Nobody", entity.name ?? "", ""])
    relationship.inverseRelationshipName = random.pick(["broken", "nothing", ""])
    entity.setOwnProperties(entity.ownProperties + [relationship])
  }
}
