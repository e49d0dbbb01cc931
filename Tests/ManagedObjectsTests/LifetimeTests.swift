import DataModels
import Foundation
import Testing

@_spi(Engines) @testable import ManagedObjects

/// What remains when programs release contexts, coordinators and models.
@Suite struct LifetimeTests {
  /// A program may open a store with a new model for each of its tests or requests.
  @Test func layoutsGoWithTheirModel() throws {
    weak var model: NSManagedObjectModel?
    weak var layouts: ModelLayout?
    weak var layout: EntityLayout?
    weak var entity: NSEntityDescription?
    do {
      let context = try Company.context()
      let coordinator = try #require(context.persistentStoreCoordinator)
      let person = PersonMO(entity: context.entity("Person"), insertInto: context)
      let company = CompanyMO(entity: context.entity("Company"), insertInto: context)
      company.name = "Analytical"
      person.employer = company
      try context.save()
      _ = try context.fetch(NSFetchRequest<PersonMO>(entityName: "Person"))
      (model, layouts) = (coordinator.managedObjectModel, coordinator.modelLayout)
      (layout, entity) = (person.layout, person.entity)
    }
    // Other tests, which iterate over the models in use, may be retaining this one.
    for _ in 0..<500 where layouts != nil { Thread.sleep(forTimeInterval: 0.01) }
    #expect(model == nil && layouts == nil && layout == nil && entity == nil)
  }

  /// An object that outlives everything else can still be used, however it was created.
  @Test(
    arguments: [
      "unattached", "inserted", "saved", "fetched", "fault", "refreshed", "child", "bare",
    ])
  func objectsOutliveTheirModel(kind: String) throws {
    var object: PersonMO?
    weak var model: NSManagedObjectModel?
    do {
      let context = try Company.context()
      model = context.persistentStoreCoordinator?.managedObjectModel
      let made = PersonMO(
        entity: context.entity("Person"), insertInto: kind == "unattached" ? nil : context)
      made.name = "Ada"
      if !["unattached", "inserted"].contains(kind) { try context.save() }
      switch kind {
      case "fetched", "refreshed":
        context.reset()
        object = try context.fetch(NSFetchRequest<PersonMO>(entityName: "Person")).first
        if kind == "refreshed" { context.refreshAllObjects() }
      case "fault":
        let id = made.objectID
        context.reset()
        object = context.object(with: id) as? PersonMO
      case "child":
        let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.persistentStoreCoordinator = context.persistentStoreCoordinator
        let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        child.parent = parent
        let own = PersonMO(entity: child.entity("Person"), insertInto: child)
        try child.save()
        object = parent.performAndWait { parent.object(with: own.objectID) as? PersonMO }
      case "bare":
        let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.persistentStoreCoordinator = context.persistentStoreCoordinator
        parent.performAndWait {
          let own = PersonMO(entity: parent.entity("Person"), insertInto: parent)
          own.name = "Bare"
        }
        let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        child.parent = parent
        let request = NSFetchRequest<PersonMO>(entityName: "Person")
        request.includesPropertyValues = false
        request.predicate = NSPredicate(format: "name == 'Bare'")
        object = try child.fetch(request).first
      default: object = made
      }
    }
    #expect(model == nil)
    let rest = try #require(object)
    #expect(rest.managedObjectContext == nil && rest.entity.name == "Person")
    // Everything that refers to the layouts of other entities.
    #expect(rest.employer == nil && rest.projects.isEmpty && rest.tasks.isEmpty)
    rest.name = "Eve"
    rest.employer = nil
    rest.projects = []
    #expect(rest.name == "Eve")
    #expect(rest.changedValues()["employer"] == nil)
    #expect(rest.layout.property("employer")?.destination?.name == "Company")
    #expect(rest.layout.property("employer")?.inverse?.name == "staff")
    _ = rest.objectID.uriRepresentation()
    _ = rest.description
  }

  /// A temporary ID may outlive everything it was created with, and be passed to another context.
  @Test func temporaryIdentitiesKeepTheirLayouts() throws {
    var id: NSManagedObjectID?
    weak var coordinator: NSPersistentStoreCoordinator?
    weak var layouts: ModelLayout?
    do {
      let context = try Company.context()
      coordinator = context.persistentStoreCoordinator
      layouts = coordinator?.modelLayout
      id = PersonMO(entity: context.entity("Person"), insertInto: context).objectID
    }
    #expect(coordinator == nil && layouts != nil)
    var object: NSManagedObject?
    do {
      let stranger = try Company.context()
      object = stranger.object(with: try #require(id))
      id = nil
      #expect(object?.layout.property("employer")?.destination?.name == "Company")
    }
    #expect(object?.managedObjectContext == nil && layouts != nil)
    #expect(object?.layout.property("employer")?.inverse?.name == "staff")
    object = nil
    for _ in 0..<500 where layouts != nil { Thread.sleep(forTimeInterval: 0.01) }
    #expect(layouts == nil)
  }

  /// The center lets go of a block within its lock, and the block may be the last to hold a context.
  @Test(arguments: ["merging", "undoing", "following"])
  func whatOnlyAnObserverHoldsMayEnd(kind: String) throws {
    weak var ended: NSManagedObjectContext?
    var token: (any NSObjectProtocol)?
    do {
      let context = try Company.context()
      ended = context
      var held: AnyObject = context
      switch kind {
      case "merging": context.automaticallyMergesChangesFromParent = true
      case "undoing": context.undoManager = UndoManager()
      default:
        let request = NSFetchRequest<PersonMO>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
          cacheName: nil)
        try controller.performFetch()
        held = controller
      }
      let kept = Sent(held)
      token = NotificationCenter.default.addObserver(
        forName: Notification.Name("LifetimeTests"), object: nil, queue: nil
      ) { _ in withExtendedLifetime(kept) {} }
    }
    #expect(ended != nil)
    NotificationCenter.default.removeObserver(try #require(token))
    token = nil
    for _ in 0..<500 where ended != nil { Thread.sleep(forTimeInterval: 0.01) }
    #expect(ended == nil)
  }

  /// A document's undo manager outlives one of its contexts.
  @Test func aReleasedContextLeavesNothingToUndo() throws {
    let manager = UndoManager()
    manager.groupsByEvent = false
    let context = try Company.context()
    context.undoManager = manager
    let person = insert(PersonMO.self, "Person", context)
    context.processPendingChanges()
    do {
      let other = try Company.context()
      other.undoManager = manager
      for _ in 0..<2 {
        _ = insert(PersonMO.self, "Person", other)
        other.processPendingChanges()
      }
      manager.setActionName("Inserting")
      #expect(manager.undoCount == 3)
      other.undo()
      #expect(manager.canRedo && manager.undoCount == 2)
    }
    #expect(manager.undoCount == 1 && manager.undoActionName.isEmpty)
    #expect(!manager.canRedo && manager.redoCount == 0)
    manager.undo()
    #expect(person.managedObjectContext == nil)
    #expect(!manager.canUndo && manager.redoCount == 1)
  }

  /// A task that a block starts may run longer than everything else.
  @Test func aTaskOfABlockKeepsNoContext() throws {
    weak var coordinator: NSPersistentStoreCoordinator?
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    let task: Task<Void, Never>
    do {
      let container = try Company.container()
      coordinator = container.persistentStoreCoordinator
      let context = container.newBackgroundContext()
      task = context.performAndWait { Task { for await _ in stream {} } }
    }
    for _ in 0..<500 where coordinator != nil { Thread.sleep(forTimeInterval: 0.01) }
    #expect(coordinator == nil)
    end.finish()
    withExtendedLifetime(task) {}
  }
}
