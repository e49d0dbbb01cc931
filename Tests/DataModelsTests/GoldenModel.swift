import Foundation
import TestSupport

@testable import DataModels

/// A real model from `golden.json` as plain data, with the hashes recorded by Apple's tools.
struct GoldenModel: Decodable {
  struct Entity: Decodable {
    let name: String
    let abstract: Bool
    let parent: String?
    let properties: [Property]
    let uniquenessConstraints: [[String]]?
  }

  struct Property: Decodable {
    let name: String
    let `class`: String?
    let attributeType: UInt?
    let optional: Bool?
    let transient: Bool?
    let readOnly: Bool?
    let ordered: Bool?
    let preserveOnDeletion: Bool?
    let destination: String?
    let inverse: String?
    let minCount: Int?
    let maxCount: Int?
    let derivationExpression: String?
    let elements: [Property]?
  }

  let source: String
  let entities: [Entity]
  let hashes: [String: String]
  let checksum: String?
  let digest: String?

  private static let url = Corpus.tools.appendingPathComponent("golden.json")

  static let isPresent = FileManager.default.fileExists(atPath: url.path)

  static func all() throws -> [GoldenModel] {
    try JSONDecoder().decode([GoldenModel].self, from: Data(contentsOf: url))
  }

  func model() throws -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = try entities.map { row in
      let made = entity(row.name, try row.properties.map { try $0.description() })
      made.isAbstract = row.abstract
      made.uniquenessConstraints = row.uniquenessConstraints ?? []
      return made
    }
    for parent in model.entities {
      parent.subentities = entities.filter { $0.parent == parent.name }.compactMap {
        model.entitiesByName[$0.name]
      }
    }
    return model
  }
}

extension GoldenModel.Property {
  struct Unknown: Error {
    let name: String
  }

  func description() throws -> NSPropertyDescription {
    var flags: PropertyFlags = []
    if optional == true { flags.insert(.optional) }
    if transient == true { flags.insert(.transient) }
    if readOnly == true { flags.insert(.readOnly) }
    if ordered == true { flags.insert(.ordered) }
    if preserveOnDeletion == true { flags.insert(.preservesValueInHistoryOnDeletion) }
    let type = attributeType.flatMap(NSAttributeType.init(rawValue:)) ?? .undefinedAttributeType
    switch self.class ?? "attribute" {
    case "attribute": return NSAttributeDescription(name: name, flags: flags, type: type)
    case "derivedattribute":
      return NSDerivedAttributeDescription(
        name: name, flags: flags, type: type,
        expression: derivationExpression.map(expression))
    case "compositeattribute":
      return NSCompositeAttributeDescription(
        name: name, flags: flags,
        elements: try (elements ?? []).compactMap {
          try $0.description() as? NSAttributeDescription
        })
    case "relationship":
      // Referred to only by name, as is possible in an archive.
      let made = NSRelationshipDescription(
        name: name, flags: flags, maxCount: maxCount ?? 0, minCount: minCount ?? 0,
        deleteRule: .nullifyDeleteRule)
      made.destinationEntityName = destination
      made.inverseRelationshipName = inverse
      return made
    case "fetchedproperty":
      return NSFetchedPropertyDescription(name: name, flags: flags, fetchRequest: nil)
    case let other: throw Unknown(name: other)
    }
  }
}
