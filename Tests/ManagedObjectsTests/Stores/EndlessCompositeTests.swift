import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Composites made in code may contain themselves, or be nested as deep as memory allows.
@Suite struct EndlessCompositeTests {
  private enum Form: CaseIterable {
    case circular, deep, branching
  }

  private static func composite(_ name: String) -> NSCompositeAttributeDescription {
    let composite = NSCompositeAttributeDescription()
    composite.name = name
    return composite
  }

  private static func model(_ form: Form) -> NSManagedObjectModel {
    let outermost = composite("place")
    switch form {
    case .circular:
      let inner = composite("inner")
      inner.elements = [outermost]
      outermost.elements = [attribute("x", .stringAttributeType), inner]
    case .deep:
      var composite = outermost
      for _ in 0..<100_000 {
        let inner = Self.composite("inner")
        composite.elements = [inner]
        composite = inner
      }
      composite.elements = [attribute("x", .stringAttributeType)]
    case .branching:
      // 60 levels, which list 2^60 elements.
      var composite = outermost
      for _ in 0..<60 {
        let inner = Self.composite("inner")
        composite.elements = [inner, inner]
        composite = inner
      }
      composite.elements = [attribute("x", .stringAttributeType)]
    }
    let thing = entity("Thing")
    thing.properties = [attribute("name", .stringAttributeType), outermost]
    return NSManagedObjectModel(of: [thing])
  }

  @Test(
    arguments: Form.allCases,
    [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType, NSInMemoryStoreType])
  private func noStoreIsOpened(form: Form, type: String) throws {
    let folder = try TemporaryFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model(form))
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: folder.file("store"))
    }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    #expect(try folder.contents().isEmpty)
    // Objects without a store have no value.
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.performAndWait {
      let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
      #expect(thing.value(forKey: "place") == nil)
    }
  }

  @Test func sixtyFourLevelsAreStored() throws {
    let folder = try TemporaryFolder()
    var place = Self.composite("inner")
    let text = attribute("x", .stringAttributeType)
    text.defaultValue = "deep"
    place.elements = [text]
    for _ in 0..<63 {
      let outer = Self.composite("inner")
      outer.elements = [place]
      place = outer
    }
    place.name = "place"
    let thing = entity("Thing")
    thing.properties = [place]
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(of: [thing]))
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("store"))
    let context = SmallModel.context(coordinator)
    SmallModel.new("Thing", in: context)
    try context.save()
    context.reset()
    var value = try #require(SmallModel.all("Thing", context).first).value(forKey: "place")
    for _ in 0..<63 { value = (value as? [String: Any])?["inner"] }
    #expect((value as? [String: Any])?["x"] as? String == "deep")
  }
}
