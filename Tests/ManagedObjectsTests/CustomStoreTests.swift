import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Client-defined stores.
@Suite(.serialized) struct CustomStoreTests {
  static func model() -> NSManagedObjectModel {
    let (author, book) = (entity("Author"), entity("Book"))
    let (books, writer) = (NSRelationshipDescription(), NSRelationshipDescription())
    (books.name, writer.name) = ("books", "author")
    (books.destinationEntity, writer.destinationEntity) = (book, author)
    link(books, writer)
    (books.isOptional, writer.isOptional, writer.maxCount) = (true, true, 1)
    author.properties = [attribute("name", .stringAttributeType), books]
    book.properties = [
      attribute("title", .stringAttributeType), attribute("year", .integer16AttributeType), writer,
    ]
    return NSManagedObjectModel(of: [author, book])
  }

  private func context(
    _ type: String, _ url: URL, _ model: NSManagedObjectModel = model(),
    options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    NSPersistentStoreCoordinator.registerStoreClass(
      ListStore.self, type: NSPersistentStore.StoreType(rawValue: "List"))
    NSPersistentStoreCoordinator.registerStoreClass(TableStore.self, forStoreType: "Table")
    return TestStore.context(
      try TestStore.coordinator(model, at: url, type: type, options: options))
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    for name in ["Ada", "Ben"] {
      let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
      author["name"] = name
      for year in 0..<3 {
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        (book["title"], book["year"]) = ("\(name) \(year)", 1990 + year)
        book["author"] = author
      }
    }
    try context.save()
  }

  private func titles(_ context: NSManagedObjectContext, _ format: String) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: format)
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return try context.fetch(request).compactMap { $0["title"] as? String }
  }

  @Test(arguments: ["List", "Table", NSXMLStoreType, NSBinaryStoreType])
  func objectsComeAndGo(type: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store")
    TableStore.tables = [:]
    let first = try context(type, url)
    try fill(first)
    let second = try context(type, url)
    #expect(second.persistentStoreCoordinator?.persistentStores.first?.type == type)
    #expect(try titles(second, "year > 1990") == ["Ada 1", "Ada 2", "Ben 1", "Ben 2"])
    #expect(try titles(second, "author.name == 'Ben'") == ["Ben 0", "Ben 1", "Ben 2"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    #expect(try second.count(for: request) == 6)
    (request.fetchLimit, request.fetchOffset) = (2, 1)
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    #expect(try second.fetch(request).compactMap { $0["title"] as? String } == ["Ben 1", "Ben 0"])
    // A fault, to-one and to-many.
    second.reset()
    let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
    authors.predicate = NSPredicate(format: "name == 'Ada'")
    let ada = try #require(try second.fetch(authors).first)
    let books = try #require(ada["books"] as? Set<NSManagedObject>)
    #expect(books.count == 3)
    let book = try #require(books.first { $0["year"] as? Int == 1991 })
    second.refresh(book, mergeChanges: false)
    #expect(book.isFault)
    #expect(book["title"] as? String == "Ada 1")
    #expect(book["author"] as? NSManagedObject === ada)
    // Update, delete, insert.
    book["title"] = "Changed"
    for other in books where other !== book { second.delete(other) }
    let new = NSEntityDescription.insertNewObject(forEntityName: "Book", into: second)
    (new["title"], new["author"]) = ("New", ada)
    try second.save()
    #expect(!new.objectID.isTemporaryID)
    let third = try context(type, url)
    #expect(try titles(third, "author.name == 'Ada'") == ["Changed", "New"])
    // An object ID stored outside the program.
    let uri = new.objectID.uriRepresentation()
    let id = try #require(
      third.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
    #expect(try third.existingObject(with: id)["title"] as? String == "New")
    #expect(id.uriRepresentation() == uri)
    #expect(id.persistentStore?.identifier == new.objectID.persistentStore?.identifier)
  }

  @Test func aFailedSaveOfAnAtomicStoreChangesNothing() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store")
    let context = try context("List", url)
    try fill(context)
    let before = try Data(contentsOf: url)
    let store = try #require(
      context.persistentStoreCoordinator?.persistentStores.first as? ListStore)
    store.fails = true
    let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
    author["name"] = "Cem"
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.includesPendingChanges = false
    let book = try #require(try context.fetch(request).first)
    let title = try #require(book["title"] as? String)
    book["title"] = "other"
    book["author"] = author
    #expect(throws: ListStore.Failure.self) { try context.save() }
    #expect(try Data(contentsOf: url) == before)
    #expect(store.cacheNodes().count == 8)
    #expect(store.cacheNode(for: book.objectID)?.value(forKey: "title") as? String == title)
    store.fails = false
    try context.save()
    #expect(store.cacheNodes().count == 9)
    #expect(try titles(try self.context("List", url), "author.name == 'Cem'") == ["other"])
  }

  /// A store that makes its own nodes and leaves their content to the default: objects of one save lead to each other,
  /// whichever comes first.
  @Test func nodesOfAnotherClassAreRelated() throws {
    let folder = try TemporaryFolder()
    let context = try context("List", folder.file("store"))
    let store = try #require(
      context.persistentStoreCoordinator?.persistentStores.first as? ListStore)
    store.makesOwnNodes = true
    try fill(context)
    #expect(store.cacheNodes().allSatisfy { $0 is ListNode })
    for node in store.cacheNodes() where node.objectID.entity.name == "Book" {
      let author = try #require(node.value(forKey: "author") as? ListNode)
      #expect(store.cacheNode(for: author.objectID) === author)
      let books = try #require(author.value(forKey: "books") as? Set<NSAtomicStoreCacheNode>)
      #expect(books.contains(node))
    }
    let again = try self.context("List", folder.file("store"))
    #expect(try titles(again, "author.name == 'Ben'") == ["Ben 0", "Ben 1", "Ben 2"])
  }

  @Test(arguments: ["List", "Table", NSXMLStoreType, NSBinaryStoreType])
  func writersOfAnAtomicStoreConflict(type: String) throws {
    let folder = try TemporaryFolder()
    TableStore.tables = [:]
    let first = try context(type, folder.file("store"))
    try fill(first)
    let second = TestStore.context(first.persistentStoreCoordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == 'Ada 0'")
    let (one, other) = (
      try #require(try first.fetch(request).first), try #require(try second.fetch(request).first)
    )
    (one["year"], other["year"]) = (1, 2)
    try first.save()
    let error = #expect(throws: NSError.self) { try second.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try second.save()
    first.refresh(one, mergeChanges: false)
    #expect(one["year"] as? Int == 2)
  }

  @Test(arguments: ["List", "Table", NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType])
  func noStoreTakesReferencesToWhatIsNowhere(type: String) throws {
    let folder = try TemporaryFolder()
    TableStore.tables = [:]
    let first = try context(type, folder.file("store"))
    try fill(first)
    let second = TestStore.context(first.persistentStoreCoordinator)
    let unsaved = NSEntityDescription.insertNewObject(forEntityName: "Author", into: second)
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: first)
    book["title"] = "new"
    book.setPrimitiveValue(first.object(with: unsaved.objectID), forKey: "author")
    let error = #expect(throws: NSError.self) { try first.save() }
    #expect(error?.code == NSManagedObjectValidationError)
    #expect(book.isInserted)
    book["author"] = nil
    try first.save()
    #expect(try titles(first, "title == 'new'") == ["new"])
  }

  @Test(arguments: ["List", NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType])
  func aStoreInMemoryKnowsWhatIsNoConflict(type: String) throws {
    let folder = try TemporaryFolder()
    let first = try context(type, folder.file("store"))
    try fill(first)
    let second = TestStore.context(first.persistentStoreCoordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == 'Ada 0'")
    let one = try #require(try first.fetch(request).first)
    let same = try #require(try second.fetch(request).first)
    one["year"] = 1990
    same["year"] = 1
    try first.save()
    try second.save()
    // Deleted on both sides.
    first.refresh(one, mergeChanges: false)
    #expect(one["year"] as? Int == 1)
    first.delete(one)
    second.delete(same)
    try first.save()
    try second.save()
    #expect(try second.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 5)
  }

  /// What is set to its present value doesn't take back what another context has saved since.
  @Test(arguments: ["List", NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType])
  func anUpdateOfNothingWritesNothing(type: String) throws {
    let folder = try TemporaryFolder()
    let first = try context(type, folder.file("store"))
    try fill(first)
    let second = TestStore.context(first.persistentStoreCoordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == 'Ada 0'")
    let one = try #require(try first.fetch(request).first)
    let same = try #require(try second.fetch(request).first)
    _ = (one["year"], same["year"])
    same["year"] = 1
    try second.save()
    one["title"] = "Ada 0"
    try first.save()
    let third = TestStore.context(first.persistentStoreCoordinator)
    #expect(try titles(third, "year == 1") == ["Ada 0"])
  }

  /// A relationship without an inverse may lead to what is deleted, which doesn't come back as an object without values.
  @Test func whatIsDeletedStaysSoThoughSomethingLeadsToIt() throws {
    let (author, book) = (entity("Author"), entity("Book"))
    let (next, all) = (NSRelationshipDescription(), NSRelationshipDescription())
    for (relationship, name, count) in [(next, "next", 1), (all, "all", 0)] {
      (relationship.name, relationship.maxCount, relationship.isOptional) = (name, count, true)
      relationship.destinationEntity = book
    }
    author.properties = [attribute("name", .stringAttributeType), next, all]
    book.properties = [attribute("title", .stringAttributeType)]
    let folder = try TemporaryFolder()
    let context = try context(
      "List", folder.file("store"), NSManagedObjectModel(of: [author, book]))
    let ada = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
    let lost = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    (ada["next"], ada["all"]) = (lost, NSSet(object: lost))
    try context.save()
    context.delete(lost)
    try context.save()
    ada["name"] = "Ada"
    try context.save()
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 0)
  }

  /// The program's metadata don't take the model's version away, and a save that failed isn't repeated.
  @Test func metadataOfAtomicStores() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store")
    let first = try context("List", url)
    try fill(first)
    let coordinator = try #require(first.persistentStoreCoordinator)
    let store = try #require(coordinator.persistentStores.first as? ListStore)
    coordinator.setMetadata(["lastSync": "x"], for: store)
    #expect(store.metadata[NSStoreModelVersionHashesKey] != nil)
    try first.save()
    let second = try context("List", url)
    #expect(try titles(second, "year == 1990").count == 2)
    store.fails = true
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    try #require(try first.fetch(request).first)["title"] = "x"
    #expect(throws: ListStore.Failure.self) { try first.save() }
    first.rollback()
    try first.save()
  }

  @Test func storesOfAnotherModelAndUnknownTypesAreRefused() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store")
    try fill(try context("List", url))
    let model = Self.model()
    model.entitiesByName["Book"]?.properties.removeAll { $0.name == "year" }
    let error = #expect(throws: NSError.self) { try context("List", url, model) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(throws: NSError.self) { try context("Nothing", url) }
    NSPersistentStoreCoordinator.registerStoreClass(PlainStore.self, forStoreType: "Plain")
    let plain = #expect(throws: NSError.self) { try context("Plain", folder.file("none")) }
    #expect(plain?.code == NSPersistentStoreInvalidTypeError)
    NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Plain")
    #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Plain"] == nil)
    #expect(NSPersistentStoreCoordinator.registeredStoreTypes["List"] == ListStore.self)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: "List", at: url, options: nil)
    #expect(metadata[NSStoreTypeKey] as? String == "List")
    let reading = try context("List", url, options: [NSReadOnlyPersistentStoreOption: true])
    _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: reading)
    #expect(throws: NSError.self) { try reading.save() }
  }
}

final class PlainStore: NSPersistentStore, @unchecked Sendable {}

/// A list of lines: ID, entity, attributes, and the IDs of destinations.
final class ListStore: NSAtomicStore, @unchecked Sendable {
  struct Failure: Error {}
  struct Line: Codable {
    var id: String
    var entity: String
    var texts: [String: String] = [:]
    var numbers: [String: Int] = [:]
    var links: [String: [String]] = [:]
  }
  struct Contents: Codable {
    var uuid: String
    var hashes: [String: Data]
    var lines: [Line]
  }

  var fails = false
  var makesOwnNodes = false

  override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    guard makesOwnNodes else { return super.newCacheNode(for: managedObject) }
    let node = ListNode(objectID: managedObject.objectID)
    updateCacheNode(node, from: managedObject)
    return node
  }

  private static func contents(_ url: URL) throws -> Contents {
    try JSONDecoder().decode(Contents.self, from: Data(contentsOf: url))
  }

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    let contents = try contents(url)
    return [
      NSStoreUUIDKey: contents.uuid, NSStoreTypeKey: "List",
      NSStoreModelVersionHashesKey: contents.hashes,
    ]
  }

  override func load() throws {
    guard let url, FileManager.default.fileExists(atPath: url.path) else { return }
    let model = persistentStoreCoordinator?.managedObjectModel
    var nodes: [String: NSAtomicStoreCacheNode] = [:]
    let lines = try Self.contents(url).lines
    for line in lines {
      guard let entity = model?.entitiesByName[line.entity] else { continue }
      let node = NSAtomicStoreCacheNode(
        objectID: objectID(for: entity, withReferenceObject: line.id))
      for (name, text) in line.texts { node.setValue(text, forKey: name) }
      for (name, number) in line.numbers { node.setValue(number, forKey: name) }
      nodes[line.id] = node
    }
    for line in lines {
      guard let node = nodes[line.id] else { continue }
      for (name, ids) in line.links {
        let targets = ids.compactMap { nodes[$0] }
        let isToMany = model?.entitiesByName[line.entity]?.relationshipsByName[name]?.isToMany
        if isToMany == true {
          node.setValue(Set(targets), forKey: name)
        } else {
          node.setValue(targets.first, forKey: name)
        }
      }
    }
    addCacheNodes(Set(nodes.values))
  }

  override func save() throws {
    var lines: [Line] = []
    for node in cacheNodes() {
      let entity = node.objectID.entity
      var line = Line(id: text(node), entity: entity.name ?? "")
      for name in entity.attributesByName.keys {
        let value = node.value(forKey: name)
        if let text = value as? String { line.texts[name] = text }
        if let number = value as? Int { line.numbers[name] = number }
      }
      for name in entity.relationshipsByName.keys {
        switch node.value(forKey: name) {
        case let targets as Set<NSAtomicStoreCacheNode>: line.links[name] = targets.map(text)
        case let target as NSAtomicStoreCacheNode: line.links[name] = [text(target)]
        default: break
        }
      }
      lines.append(line)
    }
    if fails { throw Failure() }
    guard let url else { return }
    try JSONEncoder().encode(
      Contents(
        uuid: identifier,
        hashes: metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:], lines: lines)
    ).write(to: url, options: .atomic)
  }
}

extension ListStore {
  private func text(_ node: NSAtomicStoreCacheNode) -> String {
    referenceObject(for: node.objectID) as? String ?? ""
  }
}

/// A node of the store's own.
private final class ListNode: NSAtomicStoreCacheNode, @unchecked Sendable {}

/// Rows in external tables, by number.
final class TableStore: NSIncrementalStore, @unchecked Sendable {
  struct Row {
    var version: UInt64 = 1
    var values: [String: Any] = [:]
    var links: [String: [Int]] = [:]
  }
  nonisolated(unsafe) static var tables: [String: [Int: Row]] = [:]

  override func loadMetadata() throws {
    metadata = [
      NSStoreUUIDKey: "7B3B0F0E-5D3C-4B57-9A55-000000000001", NSStoreTypeKey: "Table",
    ]
  }

  private func number(_ id: NSManagedObjectID) -> Int {
    let reference = referenceObject(for: id)
    return reference as? Int ?? Int(reference as? String ?? "") ?? 0
  }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    array.map { object in
      let name = object.entity.name ?? ""
      let number = (Self.tables[name]?.keys.max() ?? 0) + 1
      Self.tables[name, default: [:]][number] = Row()
      return newObjectID(for: object.entity, referenceObject: "\(number)")
    }
  }

  override func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    if let save = request as? NSSaveChangesRequest {
      for object in (save.insertedObjects ?? []).union(save.updatedObjects ?? []) { write(object) }
      for object in save.deletedObjects ?? [] {
        Self.tables[object.entity.name ?? ""]?[number(object.objectID)] = nil
      }
      return [Any]()
    }
    guard let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let entity = fetch.entity,
      let context
    else { throw CocoaError(.featureUnsupported) }
    var objects = (Self.tables[entity.name ?? ""] ?? [:]).keys.sorted().map {
      context.object(with: newObjectID(for: entity, referenceObject: "\($0)"))
    }
    if let predicate = fetch.predicate { objects = objects.filter { predicate.evaluate(with: $0) } }
    if let sort = fetch.sortDescriptors?.first {
      objects.sort {
        let order = sort.compare($0, to: $1)
        return order == .orderedAscending
      }
    }
    objects = Array(objects.dropFirst(fetch.fetchOffset))
    return fetch.fetchLimit > 0 ? Array(objects.prefix(fetch.fetchLimit)) : objects
  }

  private func write(_ object: NSManagedObject) {
    let name = object.entity.name ?? ""
    let key = number(object.objectID)
    var row = Self.tables[name]?[key] ?? Row()
    row.version += 1
    for attribute in object.entity.attributesByName.keys {
      row.values[attribute] = object.value(forKey: attribute)
    }
    for (relationship, description) in object.entity.relationshipsByName {
      let value = object.value(forKey: relationship)
      let targets =
        description.isToMany
        ? Array(value as? Set<NSManagedObject> ?? [])
        : [value as? NSManagedObject].compactMap { $0 }
      row.links[relationship] = targets.map { number($0.objectID) }
    }
    Self.tables[name, default: [:]][key] = row
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    guard let row = Self.tables[objectID.entity.name ?? ""]?[number(objectID)] else {
      throw CocoaError(.coderValueNotFound)
    }
    return NSIncrementalStoreNode(
      objectID: objectID, withValues: row.values, version: row.version)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any {
    let row = Self.tables[objectID.entity.name ?? ""]?[number(objectID)]
    guard let destination = relationship.destinationEntity else { return NSNull() }
    let ids = (row?.links[relationship.name] ?? []).map {
      newObjectID(for: destination, referenceObject: "\($0)")
    }
    if relationship.isToMany { return ids }
    return ids.first ?? NSNull()
  }
}
