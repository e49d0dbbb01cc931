import CoreData
import Foundation
import Testing

/// An object that only one thread may use.
private final class Tally {
  var count = 0
}

/// A class with its own subscript, where MomKit has one for every object.
private final class Node: NSManagedObject {
  subscript(name: String) -> Any? {
    get { "own \(name)" }
    set { setPrimitiveValue(newValue, forKey: name) }
  }
}

/// A typical class whose work captures what it needs.
@MainActor private final class Importer {
  let context: NSManagedObjectContext
  var titles: [String] = []

  init(_ context: NSManagedObjectContext) { self.context = context }

  func run() async throws {
    let tally = Tally()
    titles = try await context.perform { [context] in
      tally.count += 1
      _ = Guest(context: context)
      return try context.fetch(NSFetchRequest<Guest>(entityName: "Guest")).map {
        "\(tally.count) \($0.objectID.isTemporaryID)"
      }
    }
  }
}

@Suite struct QueueingTests {
  private func makeCoordinator() throws -> NSPersistentStoreCoordinator {
    try #require(try makeGuestBook().persistentStoreCoordinator)
  }

  @Test func `a coordinator's blocks have the types that Core Data gives them`() async throws {
    let coordinator = try makeCoordinator()
    let wait: (() -> Void) -> Void = coordinator.performAndWait
    var calls = 0
    wait { calls += 1 }
    #expect(coordinator.performAndWait { calls } == 1)
    let tally = Tally()
    let count = await coordinator.perform {
      tally.count += 1
      return tally.count
    }
    #expect(count == 1)
    await #expect(throws: CocoaError.self) {
      try await coordinator.perform { throw CocoaError(.userCancelled) }
    }
    await withCheckedContinuation { continuation in
      coordinator.perform { continuation.resume() }
    }
  }

  @Test @MainActor func `work takes along what isn't shared`() async throws {
    let importer = Importer(try makeGuestBook())
    try await importer.run()
    #expect(importer.titles == ["1 true"])
  }

  @Test func `a class has its own subscript`() {
    let entity = NSEntityDescription()
    entity.name = "Node"
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let node = Node(entity: entity, insertInto: nil)
    #expect(node["a"] as? String == "own a")
    #expect((node as NSManagedObject)["entity"] as? NSEntityDescription === entity)
  }

  @Test func `an error tells of those beneath it`() {
    let inner = CocoaError(.fileNoSuchFile)
    let error = NSError(domain: "a", code: 1, userInfo: [NSUnderlyingErrorKey: inner])
    #expect(error.underlyingErrors.count == 1)
    #expect(error.underlyingErrors.first as? CocoaError == inner)
    #expect(NSError(domain: "a", code: 1).underlyingErrors.isEmpty)
  }

  @Test func `a property may be of any type`() throws {
    final class Box: NSManagedObject {
      var object: Any {
        get { managed("object") }
        set { setManaged(newValue, "object") }
      }
    }
    let (entity, attribute) = (NSEntityDescription(), NSAttributeDescription())
    (attribute.name, attribute.type) = ("object", .transformable)
    (entity.name, entity.properties) = ("Box", [attribute])
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let box = Box(entity: entity, insertInto: nil)
    box.object = "Ada"
    #expect("\(box.object)" == "Ada")
    box.object = 3
    #expect(box.object as? Int == 3)
  }

  @Test func `requests of any results are counted`() throws {
    func make<Result: NSFetchRequestResult>() -> NSFetchRequest<Result> {
      NSFetchRequest<Result>(entityName: "Guest")
    }
    let context = try makeGuestBook()
    try context.performAndWait {
      _ = Guest(context: context)
      let count = try context.count(for: make())
      #expect(count == 1)
      let ids = make() as NSFetchRequest<NSManagedObjectID>
      ids.resultType = .managedObjectIDResultType
      let found = try context.fetch(ids)
      #expect(found.count == 1)
    }
  }

  @Test func `wrappers hand on what C's arguments may be`() throws {
    func find(_ format: String, _ arguments: any CVarArg...) -> String {
      withVaList(arguments) { NSPredicate(format: format, arguments: $0).canonicalFormat }
    }
    #expect(
      find("a == %@ AND b == %@", NSNumber(value: 3), "x" as NSString) == "a == 3 AND b == \"x\"")
    #expect(String(format: "%@", NSNumber(value: 3)) == "3")
    let (id, list) = (NSUUID(), [1, 2] as NSArray)
    #expect(find("a == %@ OR a IN %@", id, list) == "a == \(id.uuidString) OR a IN {1, 2}")
    #expect(String(format: "%@ %@ %d", id, NSNull(), 3) == "\(id) \(NSNull()) 3")
    let error = NSError(domain: "Shop", code: 7)
    #expect(String(format: "%@", error).contains("Shop"))
    let protection: FileProtectionType? = .complete
    #expect(protection != FileProtectionType.none)
  }

  @Test func `managed objects are what C's arguments may be`() throws {
    let context = try makeGuestBook()
    try context.performAndWait {
      let (guest, visit) = (Guest(context: context), Visit(context: context))
      visit.guest = guest
      try context.save()
      func count(_ format: String, _ arguments: any CVarArg...) throws -> Int {
        let request = NSFetchRequest<Visit>(entityName: "Visit")
        request.predicate = withVaList(arguments) { NSPredicate(format: format, arguments: $0) }
        return try context.count(for: request)
      }
      #expect(try count("guest == %@", guest as CVarArg) == 1)
      #expect(try count("guest == %@ AND self == %@", guest.objectID, visit) == 1)
      #expect(try count("self IN %@", NSOrderedSet(array: [visit])) == 1)
      #expect(try count("guest == %@", NSNull()) == 0)
      let request = NSFetchRequest<Visit>(entityName: "Visit")
      request.predicate = NSPredicate(format: "guest == %@", guest as CVarArg)
      #expect(try context.fetch(request) == [visit])
      let text = String(format: "%@, %@, %d", guest, guest.objectID, 3)
      #expect(text == "\(guest), \(guest.objectID), 3")
    }
  }

  @Test func `selectors have names`() {
    #expect(NSStringFromSelector(NSSelectorFromString("name")) == "name")
  }

  @Test func `a path of no step is called self`() {
    #expect((\Guest.self as AnyKeyPath)._kvcKeyPathString == "self")
    #expect((\Double.self as AnyKeyPath)._kvcKeyPathString == "self")
    #expect((\Guest.title as AnyKeyPath)._kvcKeyPathString == "title")
  }
}
