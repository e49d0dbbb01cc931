import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport

@testable import ManagedObjects

/// Foundation on Linux has an empty class with this name.
typealias NSExpression = PredicateFormat.NSExpression

/// Publishers, authors, books and tags: relationships of every kind and attributes of every type, for tests of store
/// operations without objects.
///
/// Publisher ←→> ordered Author ←→> Book (cascading) <<→> Tag; Novel is a Book; Author ←→ Contract.
enum Library {
  static func model(
    booksRule: NSDeleteRule = .cascadeDeleteRule, mandatoryAuthor: Bool = false
  ) -> NSManagedObjectModel {
    let publisher = entity("Publisher")
    let author = entity("Author")
    let book = entity("Book")
    let novel = entity("Novel")
    let tag = entity("Tag")
    let contract = entity("Contract")

    let authors = relationship("authors", to: author, max: 0, ordered: true)
    let house = relationship("publisher", to: publisher, max: 1)
    link(authors, house)
    let books = relationship("books", to: book, max: 0, rule: booksRule)
    let writer = relationship("author", to: author, max: 1, optional: !mandatoryAuthor)
    link(books, writer)
    let tags = relationship("tags", to: tag, max: 0)
    let tagged = relationship("books", to: book, max: 0)
    link(tags, tagged)
    let terms = relationship("contract", to: contract, max: 1)
    let signer = relationship("author", to: author, max: 1)
    link(terms, signer)

    let note = attribute("note", .stringAttributeType)
    note.preservesValueInHistoryOnDeletion = true
    let code = attribute("code", .UUIDAttributeType)
    code.preservesValueInHistoryOnDeletion = true
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    publisher.properties = [attribute("name", .stringAttributeType), authors]
    author.properties = [
      attribute("name", .stringAttributeType, optional: false),
      attribute("rank", .integer16AttributeType, optional: false, default: 1),
      attribute("born", .dateAttributeType), attribute("score", .doubleAttributeType),
      attribute("isActive", .booleanAttributeType, default: true),
      attribute("fee", .decimalAttributeType), code, note, photo, house, books, terms,
    ]
    author.uniquenessConstraints = [["name"]]
    book.properties = [
      attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType),
      attribute("price", .doubleAttributeType), attribute("published", .dateAttributeType),
      attribute("isSold", .booleanAttributeType), attribute("site", .URIAttributeType), writer,
      tags,
    ]
    novel.properties = [attribute("genre", .stringAttributeType)]
    book.subentities = [novel]
    tag.properties = [attribute("name", .stringAttributeType), tagged]
    contract.properties = [attribute("sum", .integer64AttributeType), signer]
    return NSManagedObjectModel(of: [publisher, author, book, novel, tag, contract])
  }

  /// Opens a store for a model, creating it if needed.
  static func coordinator(
    _ url: URL, _ model: NSManagedObjectModel = Library.model(), history: Bool = false,
    options: [String: Any] = [:]
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    var options = options
    if history { options[NSPersistentHistoryTrackingKey] = true }
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    return coordinator
  }

  /// A context that can be a parent.
  static func parent(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    return child
  }

  static func new(
    _ entity: String, _ values: [String: Any?] = [:], in context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  static func all(
    _ entity: String, _ format: String? = nil, _ arguments: [Any] = [],
    in context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    if let format {
      request.predicate = NSPredicate(format: format, argumentArray: arguments)
    }
    return try context.fetch(request)
  }
}
