import Foundation
import MomKit

/// A person with the eight columns of the benchmark: three of them the store's own.
final class Person: NSManagedObject {
  static let model: NSManagedObjectModel = {
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    func relationship(_ name: String, _ entity: NSEntityDescription, max: Int)
      -> NSRelationshipDescription
    {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.destinationEntity = entity
      relationship.maxCount = max
      return relationship
    }
    let person = NSEntityDescription()
    person.name = "Person"
    person.managedObjectClassName = "Person"
    let city = attribute("city", .stringAttributeType)
    person.properties = [
      attribute("age", .integer64AttributeType), attribute("height", .doubleAttributeType),
      attribute("born", .dateAttributeType), attribute("name", .stringAttributeType), city,
    ]
    person.indexes = [
      NSFetchIndexDescription(
        name: "byCity",
        elements: [NSFetchIndexElementDescription(property: city, collationType: .binary)])
    ]
    let company = NSEntityDescription()
    company.name = "Company"
    let worker = NSEntityDescription()
    worker.name = "Worker"
    let workers = relationship("workers", worker, max: 0)
    let employer = relationship("company", company, max: 1)
    workers.inverseRelationship = employer
    employer.inverseRelationship = workers
    company.properties = [attribute("name", .stringAttributeType), workers]
    worker.properties = [
      attribute("name", .stringAttributeType), attribute("age", .integer64AttributeType), employer,
    ]
    let model = NSManagedObjectModel()
    model.entities = [person, company, worker]
    return model
  }()

  var name: String {
    get { managed("name") }
    set { setManaged(newValue, "name") }
  }
  var city: String {
    get { managed("city") }
    set { setManaged(newValue, "city") }
  }
  var age: Int64 {
    get { managed("age") }
    set { setManaged(newValue, "age") }
  }
  var height: Double {
    get { managed("height") }
    set { setManaged(newValue, "height") }
  }
  var born: Date {
    get { managed("born") }
    set { setManaged(newValue, "born") }
  }
}

/// The work through objects.
struct ObjectRun {
  private let coordinator: NSPersistentStoreCoordinator
  private let rows: Int

  init(file: URL, rows: Int) throws {
    Person.register()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Person.model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: file)
    self.rows = rows
  }

  private func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  func insert() throws -> Int {
    let context = context()
    for row in 0..<rows {
      let person = Person(context: context)
      person.age = Int64(row % 90)
      person.height = Double(row) * 0.5
      person.born = Date(timeIntervalSinceReferenceDate: Double(row))
      person.name = "Name \(row)"
      person.city = "City \(row % (rows / 100))"
    }
    try context.save()
    return rows
  }

  func fetchAll() throws -> Int {
    let context = context()
    let people = try context.fetch(NSFetchRequest<Person>(entityName: "Person"))
    var length = 0
    for person in people { length += person.name.utf8.count }
    return people.count + (length == 0 ? 1 : 0)
  }

  func byKey() throws -> Int {
    let context = context()
    guard let store = coordinator.persistentStores.first else { return 0 }
    var count = 0
    for step in 0..<10_000 {
      let key = (step * 7919) % rows + 1
      let url = URL(string: "x-coredata://\(store.identifier)/Person/p\(key)")
      guard let id = url.flatMap({ coordinator.managedObjectID(forURIRepresentation: $0) }),
        let person = try context.existingObject(with: id) as? Person
      else { continue }
      count += person.name.isEmpty ? 0 : 1
    }
    return count
  }

  func byIndex() throws -> Int {
    let context = context()
    var count = 0
    for step in 0..<1000 {
      let request = NSFetchRequest<Person>(entityName: "Person")
      request.predicate = NSPredicate(format: "city == %@", "City \(step % (rows / 100))")
      for person in try context.fetch(request) { count += person.name.isEmpty ? 0 : 1 }
    }
    return count
  }

  func update() throws -> Int {
    let context = context()
    let people = try context.fetch(NSFetchRequest<Person>(entityName: "Person"))
    for person in people { person.age += 1 }
    try context.save()
    return people.count
  }

  func graphInsert() throws -> Int {
    let context = context()
    for index in 0..<1000 {
      let company = NSEntityDescription.insertNewObject(forEntityName: "Company", into: context)
      company["name"] = "Company \(index)"
      for number in 0..<100 {
        let worker = NSEntityDescription.insertNewObject(forEntityName: "Worker", into: context)
        worker["name"] = "Worker \(number)"
        worker["age"] = number
        worker["company"] = company
      }
    }
    try context.save()
    return 100_000
  }

  func graphLoad() throws -> Int {
    let context = context()
    let companies = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))
    let workers = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Worker"))
    var found: [ObjectIdentifier: Int] = [:]
    for worker in workers {
      guard let company = worker["company"] as? NSManagedObject else { continue }
      found[ObjectIdentifier(company), default: 0] += 1
    }
    return companies.reduce(0) { $0 + (found[ObjectIdentifier($1)] ?? 0) }
  }

  func graphFault() throws -> Int {
    let context = context()
    let companies = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))
    return companies.reduce(0) { $0 + $1.objectIDs(forRelationshipNamed: "workers").count }
  }
}
