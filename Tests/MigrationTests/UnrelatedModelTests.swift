import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Stores that are opened with a model of none of their entities, as when two programs give their containers one name.
@Suite struct UnrelatedModelTests {
  private static let types = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType]
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Store")
  }

  private func model(_ name: String, renamed: String? = nil) -> NSManagedObjectModel {
    let only = entity(name, [attribute("name", .stringAttributeType)])
    only.renamingIdentifier = renamed
    return NSManagedObjectModel(of: [only])
  }

  private func fill(_ type: String, isEmpty: Bool = false) throws {
    let context = TestStore.context(try TestStore.coordinator(model("Recipe"), at: url, type: type))
    if !isEmpty {
      let recipe = NSEntityDescription.insertNewObject(forEntityName: "Recipe", into: context)
      recipe["name"] = "a"
      try context.save()
    }
    try TestStore.close(context)
  }

  /// Opens the store as a container does, and returns its objects' names.
  @discardableResult
  private func open(
    _ type: String, _ next: NSManagedObjectModel, options: [AnyHashable: Any] = [:]
  ) throws -> [String?] {
    let given = TestStore.migrating
      .merging([MomKitMigrationSourceModelOption: model("Recipe")]) { $1 }
      .merging(options) { $1 }
    let context = TestStore.context(
      try TestStore.coordinator(next, at: url, type: type, options: given))
    defer { try? TestStore.close(context) }
    let name = try #require(next.entities[0].name)
    return try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name)).map {
      $0["name"] as? String
    }
  }

  @Test(arguments: types) func itsObjectsStay(type: String) throws {
    try fill(type)
    let bytes = try Data(contentsOf: url)
    let error = #expect(throws: NSError.self) { try open(type, model("Invoice")) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(error?.localizedDescription.contains("another program's") == true)
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try open(type, model("Recipe")) == ["a"])
    // An entity with another name goes on.
    #expect(try open(type, model("Dish", renamed: "Recipe")) == ["a"])
  }

  @Test(arguments: types) func nothingIsLostFromAnEmptyStore(type: String) throws {
    try fill(type, isEmpty: true)
    #expect(try open(type, model("Invoice")) == [])
  }

  /// Who gives a mapping or stages means it.
  @Test(arguments: types) func itMayBeMeant(type: String) throws {
    try fill(type)
    let next = model("Invoice")
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: model("Recipe"), destinationModel: next)
    #expect(try open(type, next, options: [MomKitMigrationMappingModelOption: mapping]) == [])
    try FileManager.default.removeItem(at: url)
    try fill(type)
    let stage = NSLightweightMigrationStage([
      model("Recipe").versionChecksum, next.versionChecksum,
    ])
    #expect(
      try open(
        type, next,
        options: [
          NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])
        ]) == [])
  }
}
