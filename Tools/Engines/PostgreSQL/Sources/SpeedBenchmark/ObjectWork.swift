import Foundation
import MomKit
import MomKitPostgreSQL

/// The work done with objects.
struct ObjectWork {
  /// The number of objects that are asked for one by one.
  static let lookups = 2000
  /// The city of those whom a batch inserts.
  static let batchCity = "Batch"

  /// The key that a lookup asks for.
  static func key(_ step: Int, of rows: Int) -> Int64 { Int64((step * 7919) % rows + 1) }

  private let coordinator: NSPersistentStoreCoordinator
  private let rows: Int
  let url: URL

  init(url: URL, rows: Int, options: [AnyHashable: Any]? = nil) throws {
    Person.register()
    Company.register()
    Worker.register()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Person.model)
    try coordinator.addPersistentStore(
      ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: options)
    (self.url, self.rows) = (url, rows)
  }

  /// Closes the store.
  func close() throws {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  func context() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  // MARK: People

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
    let length = people.reduce(0) { $0 + $1.name.utf8.count }
    return people.count + (length == 0 ? 1 : 0)
  }

  func uris() -> [URL] {
    let identifier = coordinator.persistentStores.first?.identifier ?? ""
    return (0..<Self.lookups).compactMap {
      URL(string: "x-coredata://\(identifier)/Person/p\(Self.key($0, of: rows))")
    }
  }

  /// Returns the object IDs that lookups use, standing for IDs that a program kept.
  func identities() -> [NSManagedObjectID] {
    uris().compactMap { coordinator.managedObjectID(forURIRepresentation: $0) }
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
    try byKey(uris.compactMap { coordinator.managedObjectID(forURIRepresentation: $0) })
  }

  func byKeys(_ identities: [NSManagedObjectID]) throws -> Int {
    let context = context()
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.predicate = NSPredicate(format: "SELF IN %@", identities)
    return try context.fetch(request).reduce(0) { $0 + ($1.name.isEmpty ? 0 : 1) }
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

    /// Does something to each, saves, and releases them.
    func saveEach(_ body: (Person) -> Void) throws -> Int {
      let count = people?.count ?? 0
      people?.forEach(body)
      try context?.save()
      (people, context) = (nil, nil)
      return count
    }
  }

  func everybody() throws -> People {
    let context = context()
    return People(context, try context.fetch(NSFetchRequest<Person>(entityName: "Person")))
  }

  func update(_ hand: People) throws -> Int { try hand.saveEach { $0.age += 1 } }

  func fetchAndUpdate() throws -> Int { try update(everybody()) }

  func delete(_ hand: People) throws -> Int {
    let context = hand.context
    return try hand.saveEach { context?.delete($0) }
  }

  // MARK: Companies

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
