import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// A sound store has no findings, and each kind of damage has its own.
@Suite struct StoreCheckTests {
  @Test func aSoundStoreHasNoFindings() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    let before = try folder.contents()
    #expect(try StoreCheck.findings(at: url) == [])
    #expect(try StoreCheck.findings(at: url, model: ClubModel.make()) == [])
    #expect(try folder.contents() == before)
  }

  @Test func progressIsTold() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    var steps: [Int] = []
    var total = 0
    _ = try StoreCheck.findings(at: url) { done, all in
      steps.append(done)
      total = all
    }
    #expect(steps == Array(0...total))
  }

  @Test func aStoreWithoutAModelNeedsOne() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    try SQLiteConnection(writing: url, creation: .existing).execute("DELETE FROM Z_MODELCACHE")
    #expect(throws: (any Error).self) { try StoreCheck.findings(at: url) }
    #expect(try StoreCheck.findings(at: url, model: ClubModel.make()) == [])
  }

  /// An optional composite may become mandatory without a migration: the version hash doesn't say whether it is.
  @Test func aMandatoryCompositeWithoutElementsIsFound() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("places.sqlite")
    func model(isOptional: Bool) -> NSManagedObjectModel {
      let (city, name) = (NSAttributeDescription(), NSAttributeDescription())
      (city.name, city.attributeType) = ("city", .stringAttributeType)
      (name.name, name.attributeType) = ("name", .stringAttributeType)
      let address = NSCompositeAttributeDescription()
      (address.name, address.isOptional, address.elements) = ("address", isOptional, [city])
      let entity = NSEntityDescription()
      (entity.name, entity.properties) = ("Place", [name, address])
      let model = NSManagedObjectModel()
      model.entities = [entity]
      return model
    }
    let context = try TestStore.open(url, model(isOptional: true))
    _ = Library.new("Place", ["name": "here", "address": ["city": "Turin"]], in: context)
    _ = Library.new("Place", ["name": "nowhere"], in: context)
    try context.save()
    try TestStore.close(context)
    #expect(try StoreCheck.findings(at: url, model: model(isOptional: true)) == [])
    let findings = try StoreCheck.findings(at: url, model: model(isOptional: false))
    #expect(findings.map(\.rule) == [.required])
    #expect(findings.map(\.property) == ["address"])
  }

  /// Such a row is read, and so is its file.
  @Test func theFileOfARowWithAnotherEntitysNumberIsReferredTo() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("photos.sqlite")
    let image = attribute("image", .binaryDataAttributeType)
    image.allowsExternalBinaryDataStorage = true
    let context = try TestStore.open(url, NSManagedObjectModel(of: [entity("Photo", [image])]))
    _ = Library.new("Photo", ["image": Data(repeating: 1, count: 200_000)], in: context)
    try context.save()
    try TestStore.close(context)
    try SQLiteConnection(writing: url, creation: .existing).execute("UPDATE ZPHOTO SET Z_ENT = 77")
    #expect(try StoreCheck.findings(at: url).map(\.rule) == [.entityNumber])
  }

  /// What is known of other tables isn't lost with a damaged one. Which files that names can't be told.
  @Test(arguments: ["ZPHOTO", "ZVIDEO"])
  func missingFilesAreFoundBesideADamagedTable(damaged: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("files.sqlite")
    let entities = ["Photo", "Video"].map { name in
      let data = attribute("data", .binaryDataAttributeType)
      data.allowsExternalBinaryDataStorage = true
      return entity(name, [data])
    }
    let context = try TestStore.open(url, NSManagedObjectModel(of: entities))
    for name in ["Photo", "Video"] {
      _ = Library.new(name, ["data": Data(repeating: 1, count: 200_000)], in: context)
    }
    try context.save()
    try TestStore.close(context)
    let files = ExternalData(store: url)
    for name in files.fileNames {
      try FileManager.default.removeItem(at: files.folder.appendingPathComponent(name))
    }
    try Data([1]).write(to: files.folder.appendingPathComponent(UUID().uuidString))
    try StoreDamage.overwriteRoot(of: damaged, in: url)
    let findings = try StoreCheck.findings(at: url)
    #expect(Set(findings.map(\.rule)) == [.integrity, .unreadable, .externalMissing])
    #expect(
      findings.filter { $0.rule == .externalMissing }.map(\.subject)
        == [damaged == "ZPHOTO" ? "Video" : "Photo"])
  }

  /// The columns of a to-many relationship without an inverse are no property's.
  @Test func aMemberOfAMissingOwnerIsFound() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("boxes.sqlite")
    let (box, item, name) = (NSEntityDescription(), NSEntityDescription(), NSAttributeDescription())
    (name.name, name.attributeType) = ("name", .stringAttributeType)
    (item.name, item.properties) = ("Item", [name])
    let items = NSRelationshipDescription()
    (items.name, items.destinationEntity, items.maxCount) = ("items", item, 0)
    (box.name, box.properties) = ("Box", [items])
    let model = NSManagedObjectModel()
    model.entities = [box, item]
    let context = try TestStore.open(url, model)
    let one = Library.new("Item", ["name": "a"], in: context)
    _ = Library.new("Box", ["items": Set([one])], in: context)
    try context.save()
    try TestStore.close(context)
    #expect(try StoreCheck.findings(at: url, model: model) == [])
    try SQLiteConnection(writing: url, creation: .existing).execute("DELETE FROM ZBOX")
    let findings = try StoreCheck.findings(at: url, model: model)
    #expect(findings.map(\.rule) == [.danglingKey])
    #expect(findings.map(\.subject) == ["Item"])
    #expect(findings.map(\.rows) == [[1]])
  }

  @Test func everyRuleHasADamage() {
    // The club has no composite attribute; see CompositeDerivationTests.
    #expect(
      Set(StoreDamage.all.map(\.rule)).union([.elementTrigger])
        == Set(StoreFinding.Rule.allCases))
  }

  @Test(arguments: StoreDamage.all)
  func damageIsFound(damage: StoreDamage) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    let model = ClubModel.make()
    let schema = try StoreSchema(model: model)
    do {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      try connection.registerCoreDataFunctions()
      try damage.apply(connection, schema, folder)
    }
    try damage.applyToFile?(url)
    let before = try folder.contents()
    let findings = try StoreCheck.findings(at: url, model: model)
    let rules = Set(findings.map(\.rule))
    #expect(rules.contains(damage.rule), "\(findings)")
    #expect(rules.subtracting(damage.others) == [damage.rule], "\(findings)")
    #expect(try folder.contents() == before)
  }

  @Test func aFindingSaysWhereAndWhich() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    try SQLiteConnection(writing: url, creation: .existing).execute(
      "UPDATE ZTOPIC SET ZCLUB = 77")
    let findings = try StoreCheck.findings(at: url)
    #expect(
      findings.map(\.description) == [
        "error: [dangling-key] Topic.club: the key refers to no row (2 rows: 1, 2)"
      ])
  }
}
