import Foundation
import TestSupport
import Testing

@testable import DataModels

/// Laws that every model obeys, tested with random ones.
@Suite struct RandomModelTests {
  static let seeds: [UInt64] = Array(0..<60)

  @Test(arguments: seeds) func areValid(seed: UInt64) {
    let errors = RandomModel(seed: seed).model().findings().filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(errors.map(\.description).joined(separator: "\n"))")
  }

  @Test(arguments: seeds) func areTheSameForTheSameSeed(seed: UInt64) {
    let one = RandomModel(seed: seed).model()
    let two = RandomModel(seed: seed).model()
    #expect(ModelComparison.difference(one, two) == nil)
    #expect(one == two)
    #expect(one.versionChecksum == two.versionChecksum)
  }

  @Test(arguments: seeds) func equalTheirCopies(seed: UInt64) throws {
    let model = RandomModel(seed: seed).model()
    model.freeze()
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    #expect(ModelComparison.difference(model, copy) == nil)
    #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(copy.storedVersionIdentifiers == model.storedVersionIdentifiers)
    #expect(copy.compilerStamp == model.compilerStamp)
    #expect(Self.belongsTogether(copy))
  }

  /// Changing a property, tested with a few of them, makes the model unequal.
  @Test(arguments: seeds) func areChangedByAnyChange(seed: UInt64) throws {
    let model = RandomModel(seed: seed).model()
    let count = model.entities.map(\.ownProperties.count).reduce(0, +)
    for place in stride(from: Int(seed) % 5, to: count, by: 17) {
      let other = RandomModel(seed: seed).model()
      other.entities.flatMap(\.ownProperties)[place].userInfo = ["changed": true]
      #expect(model != other)
    }
  }

  @Test(arguments: seeds) func mergeWithThemselvesToThemselves(seed: UInt64) throws {
    let model = RandomModel(seed: seed).model()
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    let merged = try NSManagedObjectModel.merging([model, copy, model])
    #expect(ModelComparison.difference(model, merged) == nil)
    #expect(Self.belongsTogether(merged))
    #expect(merged.entities.map(\.name) == model.entities.map(\.name))
    #expect(
      merged.entities.map { $0.subentities.map(\.name) }
        == model.entities.map { $0.subentities.map(\.name) })
  }

  @Test(arguments: seeds) func mergeOfTwoHoldsBoth(seed: UInt64) throws {
    let one = RandomModel(seed: seed).model()
    let two = RandomModel(seed: seed + 1000).model()
    guard Set(one.entities.map(\.name)).isDisjoint(with: two.entities.map(\.name)) else { return }
    let merged = try NSManagedObjectModel.merging([one, two])
    let hashes = one.entityVersionHashesByName.merging(two.entityVersionHashesByName) { $1 }
    #expect(merged.entityVersionHashesByName == hashes)
    #expect(Self.belongsTogether(merged))
    let metadata: [String: Any] = ["NSStoreModelVersionHashes": hashes]
    #expect(merged.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    let other = RandomModel(seed: seed + 2000).model()
    let found = NSManagedObjectModel(byMerging: [other, two, one], forStoreMetadata: metadata)
    #expect(found?.entityVersionHashesByName == hashes)
  }

  /// Whether everything that a model's descriptions refer to is in the model.
  static func belongsTogether(_ model: NSManagedObjectModel) -> Bool {
    let entities = Set(model.entities.map(ObjectIdentifier.init))
    func isInside(_ entity: NSEntityDescription?) -> Bool {
      entity.map { entities.contains(ObjectIdentifier($0)) } ?? true
    }
    for entity in model.entities {
      guard entity.owningModel === model, isInside(entity.superentity),
        entity.subentities.allSatisfy({ $0.superentity === entity && isInside($0) }),
        entity.ownProperties.allSatisfy({ $0.owningEntity === entity }),
        entity.indexes.allSatisfy({ $0.entity === entity })
      else { return false }
      for relationship in entity.relationshipsByName.values {
        guard isInside(relationship.storedDestination), relationship.storedDestination != nil,
          isInside(relationship.storedInverse?.owningEntity)
        else { return false }
        if let inverse = relationship.storedInverse {
          guard inverse.storedInverse === relationship else { return false }
        }
      }
      for case let fetched as NSFetchedPropertyDescription in entity.ownProperties {
        guard isInside(fetched.fetchRequest?.entity) else { return false }
      }
    }
    return model.fetchRequestTemplatesByName.values.allSatisfy { isInside($0.entity) }
      && model.configurations.allSatisfy { name in
        model.entities(forConfigurationName: name)?.allSatisfy { isInside($0) } ?? false
      }
  }
}
