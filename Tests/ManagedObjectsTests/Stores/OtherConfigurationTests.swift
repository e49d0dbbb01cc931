import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores of one configuration when entities of another one have changed.
@Suite struct OtherConfigurationTests {
  /// How the model changes; the second configuration is never affected.
  enum Change: CaseIterable { case none, attribute, entity }

  private func model(_ change: Change) -> NSManagedObjectModel {
    let a = SmallModel.entity(
      "A", [SmallModel.text("name")] + (change == .attribute ? [SmallModel.text("more")] : []))
    let b = SmallModel.entity("B", [SmallModel.text("name")])
    var first = [a]
    if change == .entity {
      // It has no columns of its own, and takes the number that `B` had.
      let below = SmallModel.entity("AB", [])
      a.subentities = [below]
      first.append(below)
    }
    let model = NSManagedObjectModel()
    model.entities = first + [b]
    model.setEntities(first, forConfigurationName: "First")
    model.setEntities([b], forConfigurationName: "Second")
    return model
  }

  private func open(
    _ change: Change, _ folder: TemporaryFolder
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(change))
    let options = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
    for (name, file) in [("First", "first.sqlite"), ("Second", "second.sqlite")] {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: name, at: folder.file(file),
        options: options)
    }
    return SmallModel.context(coordinator)
  }

  @Test(arguments: Change.allCases) func theyMigrateToo(change: Change) throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(.none, folder)
      SmallModel.new("A", ["name": "a"], in: context)
      SmallModel.new("B", ["name": "b"], in: context)
      try context.save()
    }
    let context = try open(change, folder)
    #expect(try SmallModel.all("A", context).map { $0["name"] as? String } == ["a"])
    #expect(try SmallModel.all("B", context).map { $0["name"] as? String } == ["b"])
    SmallModel.new("B", ["name": "c"], in: context)
    try context.save()
    let model = model(change)
    for file in ["first.sqlite", "second.sqlite"] {
      #expect(try StoreCheck.findings(at: folder.file(file), model: model) == [])
    }
  }

  @Test func theyAreRefusedWhereTheyMayNotMigrate() throws {
    let folder = try TemporaryFolder()
    _ = try open(.none, folder)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(.entity))
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: "Second", at: folder.file("second.sqlite"))
    }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
  }
}
