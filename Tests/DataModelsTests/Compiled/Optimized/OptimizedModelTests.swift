import Foundation
import PredicateFormat
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

@Suite struct OptimizedModelTests {
  /// Every real image can be read, has the hashes it records, and equals the model in the archive next to it.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realImagesAgreeWithTheirArchives() throws {
    var compared = 0
    var entities = 0
    var properties = 0
    for file in Corpus.files where file.kind == "omo" {
      let bytes = try FileBytes.read(file.url.path)
      let image = try OptimizedModel(bytes)
      let model = try OptimizedModel.decode(bytes, limits: .default)
      let hashes = try model.versionHashes()
      for record in image.entities {
        let name = try #require(try image.tables.name(record.name))
        let recorded = try #require(try image.tables.data(record.versionHash))
        #expect(hashes[name] == Data(recorded), "\(file.path) \(name)")
      }
      let sibling = file.url.deletingPathExtension().appendingPathExtension("mom")
      guard FileManager.default.fileExists(atPath: sibling.path) else { continue }
      let archived = try ModelArchive.decode(FileBytes.read(sibling.path))
      compared += 1
      entities += archived.entities.count
      properties += archived.entities.reduce(0) { $0 + $1.ownProperties.count }
      let differences = ModelDifferences(of: model, from: archived).list
      #expect(differences.isEmpty, "\(file.path): \(differences.prefix(8))")
    }
    #expect(compared > 30 && entities > 900 && properties > 4000)
  }

  /// A handmade image, which is also the fuzzer's seed.
  @Test func anImageMadeByHandIsRead() throws {
    let seed = Corpus.packageRoot.appendingPathComponent("Tools/Fuzz/seeds/optimized/small")
    let bytes = try FileBytes.read(seed.path)
    let model = try OptimizedModel.decode(bytes, limits: .default)
    #expect(model.entities.map(\.name) == ["Item", "Box"])
    let item = try #require(model.entity(named: "Item"))
    let title = try #require(item.attributesByName["title"])
    #expect(title.attributeType == .stringAttributeType && title.isOptional)
    #expect(title.defaultValue as? String == "text")
    #expect(item.relationshipsByName["box"]?.inverseRelationship?.name == "items")
    #expect(item.indexes.map(\.name) == ["byTitle"])
    #expect(item.ownUniquenessConstraints == [["title"]])
    #expect(item.renamingIdentifier == "Old" && item.versionHashModifier == "2")
    #expect(model.entities(forConfigurationName: "Cloud")?.map(\.name) == ["Item"])
    for count in 0..<bytes.count {
      _ = try? OptimizedModel.decode(Array(bytes[..<count]), limits: .default)
    }
  }

  /// If an image is truncated anywhere, or any word is replaced, it is either rejected or read.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func damagedImagesAreRefused() throws {
    let files = try Corpus.files(ofKind: "omo").map { try FileBytes.read($0.url.path) }
    let bytes = try #require(files.filter { $0.count > 4000 }.min { $0.count < $1.count })
    for count in stride(from: 0, to: bytes.count - 8, by: 7) {
      _ = try? OptimizedModel.decode(Array(bytes[..<count]), limits: .default)
    }
    #expect(throws: ModelFileError.self) {
      try OptimizedModel.decode(Array(bytes[..<200]), limits: .default)
    }
    for offset in stride(from: 64, to: bytes.count - 4, by: 12) {
      for value: UInt8 in [0xFF, 0x01] {
        var damaged = bytes
        for place in offset..<offset + 4 { damaged[place] = value }
        _ = try? OptimizedModel.decode(damaged, limits: .default)
      }
    }
  }
}

/// The differences between two models, as far as an image can represent them.
private struct ModelDifferences {
  var list: [String] = []

  init(of model: NSManagedObjectModel, from other: NSManagedObjectModel) {
    compare("entities", Set(model.entitiesByName.keys), Set(other.entitiesByName.keys))
    compare("identifiers", model.versionIdentifiers, other.versionIdentifiers)
    compare(
      "configurations", model.namedConfigurations.sorted(), other.namedConfigurations.sorted())
    for name in other.namedConfigurations {
      compare(
        "configuration \(name)",
        Set((model.entities(forConfigurationName: name) ?? []).map(\.name)),
        Set((other.entities(forConfigurationName: name) ?? []).map(\.name)))
    }
    let templates = other.fetchRequestTemplatesByName
    compare("templates", Set(model.fetchRequestTemplatesByName.keys), Set(templates.keys))
    for (name, template) in templates {
      compare(model.fetchRequestTemplate(forName: name), template, "template \(name)")
    }
    for (name, entity) in other.entitiesByName {
      if let mine = model.entitiesByName[name] { compare(mine, entity) }
    }
  }

  private mutating func compare(_ entity: NSEntityDescription, _ other: NSEntityDescription) {
    let name = other.name ?? ""
    compare("\(name) class", entity.explicitClassName, other.explicitClassName)
    compare("\(name) abstract", entity.isAbstract, other.isAbstract)
    compare("\(name) super", entity.superentity?.name, other.superentity?.name)
    compare("\(name) renaming", entity.renamingIdentifier, other.renamingIdentifier)
    compare("\(name) modifier", entity.versionHashModifier, other.versionHashModifier)
    compare(
      "\(name) unique", entity.ownUniquenessConstraints, other.ownUniquenessConstraints)
    compare(
      "\(name) subentities", Set(entity.subentitiesByName.keys),
      Set(other.subentitiesByName.keys))
    compare("\(name) info", "\(entity.orderedUserInfo)", "\(other.orderedUserInfo)")
    compare("\(name) indexes", entity.indexes.map(\.name), other.indexes.map(\.name))
    for (index, second) in zip(entity.indexes, other.indexes) {
      compare(
        "\(name) index \(index.name)", index.elements.map(\.propertyName),
        second.elements.map(\.propertyName))
      compare("\(name) index \(index.name) made", index.isSynthesized, second.isSynthesized)
    }
    let own = Dictionary(uniqueKeysWithValues: entity.ownProperties.map { ($0.name, $0) })
    compare("\(name) properties", Set(own.keys), Set(other.ownProperties.map(\.name)))
    for property in other.ownProperties {
      if let mine = own[property.name] { compare(mine, property, "\(name).\(property.name)") }
    }
  }

  private mutating func compare(
    _ property: NSPropertyDescription, _ other: NSPropertyDescription, _ name: String
  ) {
    compare("\(name) kind", "\(type(of: property))", "\(type(of: other))")
    let described = PropertyFlags(PropertySetting.rows.map(\.flag))
    compare(
      "\(name) flags", property.flags.intersection(described).rawValue,
      other.flags.intersection(described).rawValue)
    compare("\(name) renaming", property.renamingIdentifier, other.renamingIdentifier)
    compare("\(name) modifier", property.versionHashModifier, other.versionHashModifier)
    compare("\(name) info", property.userInfo as NSDictionary?, other.userInfo as NSDictionary?)
    compare(
      "\(name) predicates", property.validationPredicates.map(\.description),
      other.validationPredicates.map(\.description))
    compare(
      "\(name) warnings", property.validationWarnings.map { "\($0)" },
      other.validationWarnings.map { "\($0)" })
    compare("\(name) hash", property.versionHash, other.versionHash)
    switch (property, other) {
    case (let first as NSAttributeDescription, let second as NSAttributeDescription):
      compare("\(name) type", first.attributeType, second.attributeType)
      compare("\(name) class", first.attributeValueClassName, second.attributeValueClassName)
      compare("\(name) transformer", first.valueTransformerName, second.valueTransformerName)
      compare(
        "\(name) default", first.defaultValue.map { "\($0)" }, second.defaultValue.map { "\($0)" })
      compare(
        "\(name) derivation",
        (first as? NSDerivedAttributeDescription)?.derivationExpression?
          .description,
        (second as? NSDerivedAttributeDescription)?.derivationExpression?.description)
    case (let first as NSRelationshipDescription, let second as NSRelationshipDescription):
      compare("\(name) to", first.destinationEntity?.name, second.destinationEntity?.name)
      compare("\(name) inverse", first.inverseRelationship?.name, second.inverseRelationship?.name)
      compare("\(name) max", first.maxCount, second.maxCount)
      compare("\(name) min", first.minCount, second.minCount)
      compare("\(name) rule", first.deleteRule, second.deleteRule)
    case (let first as NSFetchedPropertyDescription, let second as NSFetchedPropertyDescription):
      compare(first.fetchRequest, second.fetchRequest, name)
    default: break
    }
  }

  private mutating func compare(
    _ request: NSFetchRequest<NSFetchRequestResult>?,
    _ other: NSFetchRequest<NSFetchRequestResult>?, _ name: String
  ) {
    compare("\(name) entity", request?.entityName, other?.entityName)
    compare(
      "\(name) predicate", request?.predicate?.description, other?.predicate?.description)
    compare("\(name) flags", request?.fetchFlags.rawValue, other?.fetchFlags.rawValue)
    compare("\(name) result", request?.resultType.rawValue, other?.resultType.rawValue)
    compare("\(name) limit", request?.fetchLimit, other?.fetchLimit)
  }

  private mutating func compare<Value: Equatable>(_ what: String, _ first: Value, _ second: Value) {
    if first != second { list.append("\(what): \(first) instead of \(second)") }
  }
}
