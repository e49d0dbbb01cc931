import Foundation
import MomKit

/// The work done with objects.
struct ObjectRun {
  private let coordinator: NSPersistentStoreCoordinator
  private let rows: Int
  /// The store.
  let file: URL

  init(file: URL, rows: Int) throws {
    Person.register()
    Company.register()
    Worker.register()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Person.model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: file)
    self.rows = rows
    self.file = file
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

  /// Returns the object IDs that ``byKey`` fetches, standing for IDs that a program kept.
  func identities() -> [NSManagedObjectID] {
    uris().compactMap { coordinator.managedObjectID(forURIRepresentation: $0) }
  }

  func uris() -> [URL] {
    guard let store = coordinator.persistentStores.first else { return [] }
    return (0..<10_000).compactMap {
      URL(string: "x-coredata://\(store.identifier ?? "")/Person/p\(($0 * 7919) % rows + 1)")
    }
  }

  func byKey(_ identities: [NSManagedObjectID]) throws -> Int {
    let context = context()
    var count = 0
    for id in identities {
      guard let person = try context.existingObject(with: id) as? Person else { continue }
      count += person.name.isEmpty ? 0 : 1
    }
    return count
  }

  func byURI(_ uris: [URL]) throws -> Int {
    let context = context()
    var count = 0
    for uri in uris {
      guard let id = coordinator.managedObjectID(forURIRepresentation: uri),
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

  /// Objects that are about to be changed and saved.
  final class People {
    var context: NSManagedObjectContext?
    var people: [Person]?

    init(_ context: NSManagedObjectContext, _ people: [Person]) {
      (self.context, self.people) = (context, people)
    }
  }

  func everybody() throws -> People {
    let context = context()
    return People(context, try context.fetch(NSFetchRequest<Person>(entityName: "Person")))
  }

  /// Changes, saves and releases the given objects.
  func update(_ hand: People) throws -> Int {
    guard let people = hand.people else { return 0 }
    for person in people { person.age += 1 }
    try hand.context?.save()
    (hand.people, hand.context) = (nil, nil)
    return people.count
  }

  func fetchAndUpdate() throws -> Int { try update(everybody()) }

  func graphInsert() throws -> Int {
    let context = context()
    for index in 0..<1000 {
      let company = Company(context: context)
      company.name = "Company \(index)"
      for number in 0..<100 {
        let worker = Worker(context: context)
        worker.name = "Worker \(number)"
        worker.age = Int64(number)
        worker.company = company
      }
    }
    try context.save()
    return 100_000
  }

  func graphLoad() throws -> Int {
    let context = context()
    let request = NSFetchRequest<Company>(entityName: "Company")
    request.relationshipKeyPathsForPrefetching = ["workers"]
    return try context.fetch(request).reduce(0) { $0 + $1.workers.count }
  }

  func graphFault() throws -> Int {
    let context = context()
    let companies = try context.fetch(NSFetchRequest<Company>(entityName: "Company"))
    return companies.reduce(0) { $0 + $1.workers.count }
  }
}
