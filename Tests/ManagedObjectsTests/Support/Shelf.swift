import DataModels
import Foundation
import StoreSupport
import TestSupport

@testable import ManagedObjects

/// A coordinator with several stores of books (configuration `Books`) and of toys (`Toys`).
enum Shelf {
  /// `Book.title`, `.cover` (in a file if it is large); `Toy.name`.
  static func model() -> NSManagedObjectModel {
    let (book, toy) = (entity("Book"), entity("Toy"))
    let cover = attribute("cover", .binaryDataAttributeType)
    cover.allowsExternalBinaryDataStorage = true
    book.properties = [attribute("title", .stringAttributeType), cover]
    toy.properties = [attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel(of: [book, toy])
    model.setEntities([book], forConfigurationName: "Books")
    model.setEntities([toy], forConfigurationName: "Toys")
    return model
  }

  static func coordinator(
    _ urls: URL..., model: NSManagedObjectModel = model()
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    for url in urls {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    }
    return coordinator
  }

  /// Books in one store, toys in another.
  static func divided(
    _ books: URL, _ toys: URL, toyOptions: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = try TestStore.coordinator(model(), at: books, configuration: "Books")
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "Toys", at: toys, options: toyOptions)
    return coordinator
  }

  static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = TestStore.context(coordinator)
    context.retainsRegisteredObjects = true
    return context
  }

  @discardableResult
  static func book(
    _ title: String, _ context: NSManagedObjectContext, in store: NSPersistentStore? = nil
  ) -> NSManagedObject {
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    book["title"] = title
    if let store { context.assign(book, to: store) }
    return book
  }

  @discardableResult
  static func toy(_ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
    let toy = NSEntityDescription.insertNewObject(forEntityName: "Toy", into: context)
    toy["name"] = name
    return toy
  }

  static func request(_ entity: String = "Book") -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [
      NSSortDescriptor(key: entity == "Book" ? "title" : "name", ascending: true)
    ]
    return request
  }

  static func titles(_ context: NSManagedObjectContext) throws -> [String] {
    try context.fetch(request()).compactMap { $0["title"] as? String }
  }

  static func toys(_ context: NSManagedObjectContext) throws -> [String] {
    try context.fetch(request("Toy")).compactMap { $0["name"] as? String }
  }

  /// The contents of a file, read by a separate coordinator.
  static func titles(at url: URL) throws -> [String] {
    let coordinator = try coordinator(url)
    return try withExtendedLifetime(coordinator) { try titles(context(coordinator)) }
  }
}
