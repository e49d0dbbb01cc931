import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Transient values of a child's objects, which start with the model's defaults.
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
  func areNotTheParents(speed: Int?) throws {
    parent.performAndWait { held["speed"] = speed }
    let car = try child.existingObject(with: held.objectID)
    #expect(car["speed"] as? Int == 7)
    #expect(!car.hasChanges)
    car["plate"] = "2"
    child.refresh(car, mergeChanges: true)
    #expect(car["speed"] as? Int == 7)
    // Values that the child didn't change stay the parent's.
    try child.save()
    #expect(parent.performAndWait { held["speed"] as? Int } == speed)
    #expect(parent.performAndWait { held["plate"] as? String } == "2")
    car["speed"] = 9
    child.refresh(car, mergeChanges: false)
    #expect(car["speed"] as? Int == 7)
  }

  @Test func ofNewObjectsGoUpWithTheSave() throws {
    let id = try {
      let car = SmallModel.new("Car", ["plate": "2", "speed": 50], in: child)
      try child.save()
      #expect(car["speed"] as? Int == 50 && !car.hasChanges)
      return car.objectID
    }()
    #expect(parent.performAndWait { parent.object(with: id)["speed"] as? Int } == 50)
    child.reset()
    let car = try #require(try SmallModel.all("Car", child).last)
    #expect(car["plate"] as? String == "2" && car["speed"] as? Int == 7)
  }

  @Test func beginAnewOnceNobodyHoldsTheObject() throws {
    try {
      let car = try child.existingObject(with: held.objectID)
      car["speed"] = 50
      try child.save()
      #expect(car["speed"] as? Int == 50)
    }()
    #expect(try SmallModel.all("Car", child).map { $0["speed"] as? Int } == [7])
    #expect(parent.performAndWait { held["speed"] as? Int } == 50)
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
    #expect(car["speed"] == nil)
    child.refresh(car, mergeChanges: false)
    #expect(car["speed"] as? Int == 7)
  }
}
