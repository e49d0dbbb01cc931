import DataModels
import Foundation
import StoreSupport
import TestSupport

@testable import ManagedObjects

/// Companies, their people and their work: one relationship of every kind.
enum Company {
  /// Company ←→> Person, Person <<→> Project (many-to-many), Company ←→ Address (one-to-one,
  /// cascading), Person ←→> ordered Task; Manager is a Person.
  static func model() -> NSManagedObjectModel {
    func entity(_ name: String, _ className: String? = nil) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entity.name = name
      entity.managedObjectClassName = className
      return entity
    }
    let company = entity("Company", "CompanyMO")
    let person = entity("Person", "PersonMO")
    let manager = entity("Manager", "PersonMO")
    let project = entity("Project")
    let address = entity("Address")
    let task = entity("Task")

    let staff = relationship("staff", to: person, max: 0, rule: .denyDeleteRule)
    let employer = relationship("employer", to: company, max: 1)
    link(staff, employer)
    let seat = relationship("seat", to: address, max: 1, rule: .cascadeDeleteRule)
    let owner = relationship("owner", to: company, max: 1)
    link(seat, owner)
    let projects = relationship("projects", to: project, max: 0)
    let members = relationship("members", to: person, max: 0)
    link(projects, members)
    let tasks = relationship("tasks", to: task, max: 0, rule: .cascadeDeleteRule, ordered: true)
    let assignee = relationship("assignee", to: person, max: 1)
    link(tasks, assignee)

    company.properties = [
      attribute("name", .stringAttributeType, optional: false), staff, seat,
    ]
    person.properties = [
      attribute("name", .stringAttributeType),
      attribute("age", .integer16AttributeType, optional: false, default: 18),
      attribute("born", .dateAttributeType), attribute("pay", .doubleAttributeType),
      attribute("isActive", .booleanAttributeType, default: true),
      attribute("photo", .binaryDataAttributeType), employer, projects, tasks,
    ]
    manager.properties = [attribute("title", .stringAttributeType)]
    person.subentities = [manager]
    project.properties = [attribute("name", .stringAttributeType), members]
    address.properties = [attribute("street", .stringAttributeType), owner]
    task.properties = [attribute("name", .stringAttributeType), assignee]
    return NSManagedObjectModel(of: [company, person, manager, project, address, task])
  }

  static func container() throws -> NSPersistentContainer {
    CompanyMO.register()
    PersonMO.register()
    let container = NSPersistentContainer(name: "Company", managedObjectModel: model())
    try container.persistentStoreCoordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    return container
  }

  static func context() throws -> NSManagedObjectContext {
    return TestStore.context(try container().persistentStoreCoordinator)
  }
}

final class CompanyMO: NSManagedObject {
  @Managed var name: String?
  @Managed var staff: Set<PersonMO>
  @Managed var seat: NSManagedObject?
}

final class PersonMO: NSManagedObject {
  @Managed var name: String?
  @Managed var age: Int16
  @Managed var born: Date?
  @Managed var pay: Double
  @Managed var isActive: Bool
  @Managed var photo: Data?
  @Managed var employer: CompanyMO?
  @Managed var projects: Set<NSManagedObject>
  @Managed var tasks: [NSManagedObject]

  /// A name that validation replaces with "mended".
  static let nameToMend = "to be mended"

  var events: [String] = []
  override func awakeFromInsert() { events.append("insert") }
  override func awakeFromFetch() { events.append("fetch") }
  override func willSave() { events.append("willSave") }
  override func didSave() { events.append("didSave") }
  override func prepareForDeletion() { events.append("prepareForDeletion") }
  override func validateForUpdate() throws {
    if name == Self.nameToMend { name = "mended" }
    try super.validateForUpdate()
  }
}
