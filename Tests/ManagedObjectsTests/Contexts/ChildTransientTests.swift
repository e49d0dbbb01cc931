import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Transient values of a child's objects, which begin with what the parent's have.
@Suite struct ChildTransientTests {
  private let folder: TemporaryFolder
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext
  private let held: NSManagedObject

  init() throws {
    folder = try TemporaryFolder()
    let speed = SmallModel.number("speed")
    (speed.isTransient, speed.defaultValue) = (true, 7)
    let model = SmallModel.model(SmallModel.entity("Car", [SmallModel.text("plate"), speed]))
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try SmallModel.coordinator(
      model, folder.file("Cars.sqlite"))
    child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    held = try parent.performAndWait {
      let car = SmallModel.new("Car", ["plate": "1"], in: parent)
      try parent.save()
      return car
    }
    self.parent = parent
  }

  @Test(arguments: [nil, 0, 50])
  func areTheParentsPresentOnes(speed: Int?) throws {
    parent.performAndWait { held["speed"] = speed }
    let car = try child.existingObject(with: held.objectID)
    #expect(car["speed"] as? Int == speed)
    #expect(!car.hasChanges)
    car["plate"] = "2"
    child.refresh(car, mergeChanges: true)
    #expect(car["speed"] as? Int == speed)
    child.refresh(car, mergeChanges: false)
    #expect(car["speed"] as? Int == speed)
  }

  @Test func beginWithTheDefaultWhereTheParentReadsTheRow() throws {
    parent.performAndWait { parent.reset() }
    let car = try child.existingObject(with: held.objectID)
    #expect(car["speed"] as? Int == 7)
  }

  @Test func comeBackWithTheChildsSave() throws {
    let car = try child.existingObject(with: held.objectID)
    car["speed"] = nil
    try child.save()
    #expect(parent.performAndWait { held["speed"] == nil })
    child.refresh(car, mergeChanges: false)
    #expect(car["speed"] == nil)
  }
}
