import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Elements of composites that change their types, in stores.
@Suite struct CompositeMigrationTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("Places.sqlite")
  }

  /// `Place.position` with the element `level`, and another with it inside the element `inner`.
  private func model(_ type: NSAttributeType, isNested: Bool) -> NSManagedObjectModel {
    let position = NSCompositeAttributeDescription()
    position.name = "position"
    position.elements = [attribute("level", type), attribute("note", .stringAttributeType)]
    guard isNested else { return NSManagedObjectModel(of: [entity("Place", [position])]) }
    position.name = "inner"
    let outer = NSCompositeAttributeDescription()
    outer.name = "position"
    outer.elements = [position]
    return NSManagedObjectModel(of: [entity("Place", [outer])])
  }

  private func make(_ level: Any, _ model: NSManagedObjectModel, isNested: Bool) throws {
    let context = try TestStore.open(url, model)
    let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
    let position: [String: Any] = ["level": level, "note": "n"]
    place["position"] = isNested ? ["inner": position] : position
    try context.save()
    try TestStore.close(context)
  }

  private func level(_ model: NSManagedObjectModel, isNested: Bool) throws -> Any? {
    let context = try TestStore.open(url, model)
    defer { try? TestStore.close(context) }
    let place = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Place")).first
    return place?.value(forKeyPath: isNested ? "position.inner.level" : "position.level")
  }

  /// A text that becomes a number would be 0.
  @Test(arguments: [false, true]) func textsDontBecomeNumbers(isNested: Bool) throws {
    let old = model(.stringAttributeType, isNested: isNested)
    try make("third", old, isNested: isNested)
    let error = #expect(throws: NSError.self) {
      try TestStore.migrate(url, to: model(.integer32AttributeType, isNested: isNested))
    }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    #expect(try level(old, isNested: isNested) as? String == "third")
  }

  @Test(arguments: [false, true]) func numbersBecomeOtherNumbers(isNested: Bool) throws {
    try make(7, model(.integer16AttributeType, isNested: isNested), isNested: isNested)
    let new = model(.doubleAttributeType, isNested: isNested)
    try TestStore.migrate(url, to: new)
    #expect(try level(new, isNested: isNested) as? Double == 7)
  }
}
