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
}
