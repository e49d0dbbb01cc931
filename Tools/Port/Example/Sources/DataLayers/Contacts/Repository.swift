import CoreData

/// The rest of the app's view of a store, independent of Core Data.
protocol Repository {
  associatedtype Model

  func all(matching predicate: NSPredicate?, sortedBy sorts: [NSSortDescriptor]?) throws -> [Model]
  func first(matching predicate: NSPredicate) throws -> Model?
  func create(_ body: (Model) -> Void) throws -> Model
  func delete(_ model: Model) throws
  func count(matching predicate: NSPredicate?) throws -> Int
}

enum RepositoryError: Error, Equatable {
  case wrongClass(String)
}

/// A repository for any entity's objects.
final class ManagedRepository<Model: NSManagedObject>: Repository {
  private let context: NSManagedObjectContext
  private var entityName: String { String(describing: Model.self) }

  init(context: NSManagedObjectContext) {
    self.context = context
  }

  func all(
    matching predicate: NSPredicate? = nil, sortedBy sorts: [NSSortDescriptor]? = nil
  ) throws -> [Model] {
    let request = Model.fetchRequest()
    request.predicate = predicate
    request.sortDescriptors = sorts
    request.returnsObjectsAsFaults = false
    guard let found = try context.fetch(request) as? [Model] else {
      throw RepositoryError.wrongClass(entityName)
    }
    return found
  }

  func first(matching predicate: NSPredicate) throws -> Model? {
    let request = NSFetchRequest<Model>(entityName: entityName)
    request.predicate = predicate
    request.fetchLimit = 1
    return try context.fetch(request).first
  }

  @discardableResult
  func create(_ body: (Model) -> Void) throws -> Model {
    guard
      let made = NSEntityDescription.insertNewObject(forEntityName: entityName, into: context)
        as? Model
    else { throw RepositoryError.wrongClass(entityName) }
    body(made)
    try context.save()
    return made
  }

  func delete(_ model: Model) throws {
    context.delete(model)
    try context.save()
  }

  func count(matching predicate: NSPredicate? = nil) throws -> Int {
    let request = NSFetchRequest<NSNumber>(entityName: entityName)
    request.predicate = predicate
    request.resultType = .countResultType
    return try context.fetch(request).first?.intValue ?? 0
  }
}
