import CoreData
import Testing

protocol Makeable {}
extension Makeable where Self: NSManagedObject {
  static func make(in context: NSManagedObjectContext) -> Self { Self(context: context) }
}
extension NSManagedObject {
  class func create(_ entity: NSEntityDescription, in context: NSManagedObjectContext) -> Self {
    self.init(entity: entity, insertInto: context)
  }
}
extension NSPersistentStoreCoordinator {
  static func ofOwnType(_ model: NSManagedObjectModel) -> Self {
    self.init(managedObjectModel: model)
  }
}

enum Mood: Int16 { case calm, merry }
final class Shade { let name: String; init(_ name: String) { self.name = name } }

final class Cat: NSManagedObject, Makeable {
  var mood: Mood {
    get { managed("mood") }
    set { setManaged(newValue, "mood") }
  }
  var lastMood: Mood? {
    get { managed("lastMood") }
    set { setManaged(newValue, "lastMood") }
  }
  var shade: Shade? {
    get { managed("shade") }
    set { setManaged(newValue, "shade") }
  }
  var primitiveMood: Int16 {
    get { managedPrimitive("mood") }
    set { setManagedPrimitive(newValue, "mood") }
  }
  let made: Bool

  // As in Core Data, the initializer used for rows is overridden too.
  override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    made = true
    super.init(entity: entity, insertInto: context)
  }
}

@Suite struct GenericMakingTests {
  private let model: NSManagedObjectModel
  private let context: NSManagedObjectContext

  init() throws {
    func attribute(_ name: String, _ type: NSAttributeDescription.AttributeType)
      -> NSAttributeDescription
    {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.type, attribute.isOptional) = (name, type, true)
      return attribute
    }
    let cat = NSEntityDescription()
    (cat.name, cat.managedObjectClassName) = ("Cat", "Cat")
    let shade = attribute("shade", .transformable)
    shade.isTransient = true
    cat.properties = [attribute("mood", .integer16), attribute("lastMood", .integer16), shade]
    model = NSManagedObjectModel()
    model.entities = [cat]
    let coordinator = NSPersistentStoreCoordinator.ofOwnType(model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  @Test func `objects are made of types that only the running program knows`() throws {
    try context.performAndWait {
      let one = Cat.make(in: context)
      let entity = try #require(model.entitiesByName["Cat"])
      let other = Cat.create(entity, in: context)
      #expect(one.made && other.made && one.isInserted && other.isInserted)
      #expect(context.insertedObjects.count == 2)
    }
  }

  @Test func `properties may be enumerations, and classes that MomKit doesn't know`() {
    context.performAndWait {
      let cat = Cat(context: context)
      #expect(cat.mood == .calm && cat.lastMood == nil && cat.shade == nil)
      (cat.mood, cat.lastMood, cat.shade) = (.merry, .calm, Shade("grey"))
      #expect(cat.mood == .merry && cat.lastMood == .calm && cat.shade?.name == "grey")
      #expect(cat.primitiveMood == 1)
      cat.primitiveMood = 0
      (cat.lastMood, cat.shade) = (nil, nil)
      #expect(cat.mood == .calm && cat.lastMood == nil && cat.shade == nil)
    }
  }

  @Test func `a block may hold what isn't Sendable and may change variables around it`() {
    var count = 0
    let run: (() -> Void) -> Void = context.performAndWait
    run { count += 1 }
    #expect(count == 1)
    final class Box { var value = 0 }
    let box = Box()
    context.perform { box.value = 1 }
    context.performAndWait { #expect(box.value == 1) }
  }

  @Test func `a request is of another type of results`() {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Cat")
    request.fetchLimit = 3
    #expect(NSFetchRequest<NSFetchRequestResult>.converted(from: request) === request)
    #expect(NSFetchRequest<Cat>.converted(from: request)?.fetchLimit == 3)
    #expect(NSFetchRequest<Cat>.converted(from: nil) == nil)
  }
}
