import CoreData
import Foundation
import Testing

final class Shift: NSManagedObject {
  @Managed var start: TimeInterval
  @Managed var done: Bool
  @Managed var title: String?
  @Managed var size: UInt64
  @Managed var weight: UInt64
  var isSelected = false {
    willSet { willChangeValue(forKey: "isSelected") }
    didSet { didChangeValue(forKey: "isSelected") }
  }

  override func setValue(_ value: Any?, forKey key: String) {
    switch key {
    case "done": done = (value as? String) == "1"
    case "title": title = (value as? String)?.uppercased()
    default: super.setValue(value, forKey: key)
    }
  }
}

/// Typed properties of managed objects.
@Suite struct ManagedPropertyTests {
  private let context: NSManagedObjectContext

  init() throws {
    let shift = NSEntityDescription()
    (shift.name, shift.managedObjectClassName) = ("Shift", "Shift")
    let types: [(String, NSAttributeDescription.AttributeType)] = [
      ("start", .date), ("done", .boolean), ("title", .string), ("size", .double),
      ("weight", .decimal),
    ]
    shift.properties = types.map { name, type in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.type, attribute.isOptional) = (name, type, true)
      return attribute
    }
    let address = NSCompositeAttributeDescription()
    (address.name, address.isOptional) = ("address", false)
    let city = NSAttributeDescription()
    (city.name, city.type, city.isOptional) = ("city", .string, true)
    address.elements = [city]
    address.defaultValue = ["city": "Rome"]
    shift.properties.append(address)
    let model = NSManagedObjectModel()
    model.entities = [shift]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  @Test func `a date may be a number of seconds`() throws {
    try context.performAndWait {
      let shift = Shift(context: context)
      #expect(shift.start == 0)
      shift.start = 5.5
      #expect(shift.value(forKey: "start") as? Date == Date(timeIntervalSinceReferenceDate: 5.5))
      #expect(shift.managedPrimitive("start") as TimeInterval == 5.5)
      shift.setManagedPrimitive(7.0 as TimeInterval, "start")
      #expect(shift.start == 7)
      try context.save()
      context.refreshAllObjects()
      #expect(shift.start == 7)
    }
  }

  @Test func `a setter doesn't call what is overridden`() {
    context.performAndWait {
      let shift = Shift(context: context)
      shift.setValue("1", forKey: "done")
      shift.setValue("a", forKey: "title")
      #expect(shift.done && shift.title == "A")
    }
  }

  @Test func `large unsigned numbers stay so`() throws {
    try context.performAndWait {
      let shift = Shift(context: context)
      shift.size = 1 << 63
      shift.weight = 10_000_000_000_000_000_000
      try context.save()
      context.refreshAllObjects()
      #expect(shift.size == 1 << 63)
      #expect(shift.weight == 10_000_000_000_000_000_000)
    }
  }

  @Test func `a key outside of the model is no change`() throws {
    try context.performAndWait {
      let shift = Shift(context: context)
      try context.save()
      shift.isSelected = true
      #expect(!context.hasChanges && !shift.isUpdated)
    }
  }

  @Test func `a composite without elements is none`() throws {
    try context.performAndWait {
      let shift = Shift(context: context)
      try context.save()
      shift.setValue(nil, forKeyPath: "address.city")
      #expect(shift.value(forKey: "address") == nil)
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    }
  }
}
