import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Mapping models and their archives.
@Suite struct MappingArchiveTests {
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realFilesComeBack() throws {
    let files = Corpus.files(ofKind: "cdm")
    #expect(!files.isEmpty)
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: file.url))
      let mapping = try MappingArchive.decode(bytes)
      #expect(mapping.entityMappings.isEmpty == false)
      let written = try MappingArchive.encode(mapping)
      let again = try MappingArchive.decode(written)
      #expect(Self.listing(again) == Self.listing(mapping), "\(file.path)")
      #expect(written == bytes, "\(file.path)")
    }
  }

  /// Everything in a mapping model, as text.
  private static func listing(_ mapping: NSMappingModel) -> [String] {
    (mapping.entityMappings ?? []).flatMap { entity in
      let properties = (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? [])
      return [
        "\(entity.name ?? "") \(entity.mappingType) \(entity.sourceEntityName ?? "")",
        "\(entity.destinationEntityName ?? "") \(entity.sourceExpression?.description ?? "")",
        "\(entity.sourceEntityVersionHash?.base64EncodedString() ?? "")",
        "\(entity.destinationEntityVersionHash?.base64EncodedString() ?? "")",
        "\(entity.entityMigrationPolicyClassName ?? "")",
      ] + properties.map { "\($0.name ?? "") = \($0.valueExpression?.description ?? "")" }
    }
  }

  @Test func aLoadedMappingKeepsItsVintage() throws {
    let folder = try TemporaryFolder()
    let entity = NSEntityMapping()
    (entity.name, entity.sourceEntityName) = ("BookToTitle", "Book")
    let mapping = NSMappingModel()
    mapping.entityMappings = [entity]
    let url = folder.file("a.cdm")
    let bytes = try MappingArchive.encode(mapping, vintage: .vintage(.xcode9))
    try Data(bytes).write(to: url)
    let loaded = try #require(NSMappingModel(contentsOf: url))
    #expect(try MappingArchive.encode(loaded) == bytes)
  }

  @Test func aMappingMadeInCodeComesBack() throws {
    let property = NSPropertyMapping()
    property.name = "name"
    property.valueExpression = DataModels.NSExpression(format: "$source.title")
    property.userInfo = ["why": "renamed"]
    let entity = NSEntityMapping()
    entity.name = "BookToTitle"
    entity.mappingType = .transformEntityMappingType
    entity.sourceEntityName = "Book"
    entity.destinationEntityName = "Title"
    entity.destinationEntityVersionHash = Data(repeating: 7, count: 32)
    entity.attributeMappings = [property]
    let mapping = NSMappingModel()
    mapping.entityMappings = [entity, entity]
    let again = try MappingArchive.decode(MappingArchive.encode(mapping))
    #expect(again.entityMappings.count == 2)
    let back = try #require(again.entityMappings.first)
    #expect(back.name == "BookToTitle" && back.mappingType == .transformEntityMappingType)
    #expect(back.sourceEntityName == "Book" && back.sourceEntityVersionHash == nil)
    #expect(back.destinationEntityVersionHash == entity.destinationEntityVersionHash)
    #expect(back.relationshipMappings == nil)
    let value = try #require(back.attributeMappings?.first)
    #expect(value.valueExpression == property.valueExpression)
    #expect(value.userInfo as? [String: String] == ["why": "renamed"])
  }

  @Test func otherArchivesAreRefused() throws {
    #expect(throws: ArchiveError.self) { try MappingArchive.decode([]) }
    let model = try ModelArchive.encode(NSManagedObjectModel())
    let error = #expect(throws: ArchiveError.self) { try MappingArchive.decode(model) }
    #expect(error?.message == "expected an NSMappingModel, found NSManagedObjectModel")
  }
}
