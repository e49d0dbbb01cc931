import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// The requests that incremental stores receive, and how they are opened.
@Suite(.serialized) struct IncrementalStoreTests {
  private func coordinator(
    _ storeClass: AnyClass = AskedStore.self
  ) throws -> NSPersistentStoreCoordinator {
    NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: "Asked")
    return try TestStore.coordinator(CustomStoreTests.model(), type: "Asked")
  }

  @Test func itNeedsNoPlace() throws {
    let store = try #require(try coordinator().persistentStores.first as? AskedStore)
    #expect(store.url == nil)
    #expect(store.metadata[NSStoreUUIDKey] as? String == store.identifier)
    let container = NSPersistentContainer(
      name: "Asked", managedObjectModel: CustomStoreTests.model())
    let description = NSPersistentStoreDescription()
    description.type = "Asked"
    container.persistentStoreDescriptions = [description]
    nonisolated(unsafe) var problem: (any Error)?
    container.loadPersistentStores { problem = $1 }
    #expect(problem == nil)
  }

  @Test func aClassOfAnotherTypeIsRefused() throws {
    let error = #expect(throws: NSError.self) { try coordinator(MistypedStore.self) }
    #expect(error?.code == NSPersistentStoreTypeMismatchError)
  }

  /// Object IDs refer to a store by its UUID.
  @Test func aSecondStoreWithTheSameIdentifierIsRefused() throws {
    let coordinator = try coordinator(NamedStore.self)
    let first = try #require(coordinator.persistentStores.first)
    for url in [nil, URL(fileURLWithPath: "/nowhere/else")] {
      let error = #expect(throws: NSError.self) {
        try coordinator.addPersistentStore(ofType: "Asked", configurationName: nil, at: url)
      }
      #expect(error?.code == 134081)
    }
    #expect(coordinator.persistentStores == [first])
    // Once it is gone, there is room for another one.
    try coordinator.remove(first)
    try coordinator.addPersistentStore(ofType: "Asked", configurationName: nil, at: nil)
  }

  @Test func numbersAndDictionariesAreAskedForAsSuch() throws {
    let coordinator = try coordinator()
    let store = try #require(coordinator.persistentStores.first as? AskedStore)
    let context = TestStore.context(coordinator)
    let count = NSFetchRequest<NSManagedObject>(entityName: "Author")
    count.predicate = NSPredicate(format: "name == 'x'")
    #expect(try context.count(for: count) == 42)
    #expect(store.asked == ["count of some"])
    let rows = NSFetchRequest<NSDictionary>(entityName: "Author")
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["name"]
    #expect(try context.fetch(rows) == [["name": "a row"]])
    #expect(store.asked.last == "rows name")
    // If a store returns objects, the context does the rest.
    store.answersWithObjects = true
    #expect(try context.count(for: count) == 1)
    #expect(try context.fetch(rows) == [["name": "value"]])
  }

  @Test func aSaveWithoutChangesIsSent() throws {
    let coordinator = try coordinator()
    let store = try #require(coordinator.persistentStores.first as? AskedStore)
    let context = TestStore.context(coordinator)
    try context.save()
    #expect(store.asked == ["save 0"])
    #expect(store.lastContext === context)
  }

  /// It is saved last, and if it fails nothing is saved elsewhere.
  @Test func itsRefusalTakesOtherStoresBack() throws {
    let coordinator = try coordinator()
    let store = try #require(coordinator.persistentStores.first as? AskedStore)
    let memory = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = TestStore.context(coordinator)
    for place in [store, memory] {
      let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
      context.assign(author, to: place)
    }
    store.refuses = true
    #expect(throws: CocoaError.self) { try context.save() }
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.affectedStores = [memory]
    request.includesPendingChanges = false
    #expect(try context.count(for: request) == 0)
    store.refuses = false
    try context.save()
    #expect(store.asked.last == "save 1")
    #expect(try context.count(for: request) == 1)
  }

  private func author(
    _ coordinator: NSPersistentStoreCoordinator, _ context: NSManagedObjectContext
  ) throws -> NSManagedObject {
    let store = try #require(coordinator.persistentStores.first as? AskedStore)
    let entity = try #require(coordinator.managedObjectModel.entitiesByName["Author"])
    return context.object(with: store.newObjectID(for: entity, referenceObject: "1"))
  }

  /// An object whose row the store doesn't find any more is like one of any other store.
  @Test(arguments: [false, true]) func aRowThatIsGoneDoesNotStopSaves(isRead: Bool) throws {
    let coordinator = try coordinator()
    let store = try #require(coordinator.persistentStores.first as? AskedStore)
    let context = TestStore.context(coordinator)
    let author = try author(coordinator, context)
    if isRead { #expect(author["name"] as? String == "value") }
    store.failure = CocoaError(.managedObjectReferentialIntegrity)
    let again = TestStore.context(coordinator)
    let error = #expect(throws: NSError.self) {
      try again.existingObject(with: author.objectID)
    }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    context.delete(author)
    try context.save()
    #expect(!context.hasChanges)
    // What was never read has nothing to be deleted.
    #expect(store.asked == [isRead ? "save 0, 1" : "save 0"])
    try context.save()
  }

  /// A store that can't look hasn't said that the row is gone.
  @Test func anotherErrorStopsTheSave() throws {
    let coordinator = try coordinator()
    let store = try #require(coordinator.persistentStores.first as? AskedStore)
    let context = TestStore.context(coordinator)
    let author = try author(coordinator, context)
    store.failure = CocoaError(.fileReadUnknown)
    context.delete(author)
    #expect(throws: CocoaError.self) { try context.save() }
    #expect(store.asked == [])
  }
}

/// Records the requests it receives.
class AskedStore: NSIncrementalStore, @unchecked Sendable {
  var asked: [String] = []
  var answersWithObjects = false
  var refuses = false
  /// What is thrown instead of a row's values.
  var failure: CocoaError?
  weak var lastContext: NSManagedObjectContext?

  override var type: String { "Asked" }

  override func loadMetadata() throws { metadata = [NSStoreTypeKey: type] }

  override func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    lastContext = context
    if let save = request as? NSSaveChangesRequest {
      if refuses { throw CocoaError(.featureUnsupported) }
      let deleted = save.deletedObjects?.count ?? 0
      asked.append(
        "save \(save.insertedObjects?.count ?? -1)" + (deleted > 0 ? ", \(deleted)" : ""))
      return [Any]()
    }
    guard let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let entity = fetch.entity
    else { throw CocoaError(.featureUnsupported) }
    if answersWithObjects { return [newObjectID(for: entity, referenceObject: "1")] }
    switch fetch.resultType {
    case .countResultType:
      asked.append("count \(fetch.predicate == nil ? "of all" : "of some")")
      return [NSNumber(value: 42)]
    case .dictionaryResultType:
      let names = (fetch.propertiesToFetch ?? []).map { "\(($0 as? String) ?? "?")" }
      asked.append("rows \(names.joined(separator: ","))")
      return [["name": "a row"] as NSDictionary]
    default: return [NSManagedObjectID]()
    }
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    if let failure { throw failure }
    return NSIncrementalStoreNode(objectID: objectID, withValues: ["name": "value"], version: 1)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any { [NSManagedObjectID]() }

  override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}
  override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}
}

/// Claims another type than the one it is registered for.
final class MistypedStore: AskedStore, @unchecked Sendable {
  override var type: String { "Other" }
}

/// Has the same identifier wherever it is.
final class NamedStore: AskedStore, @unchecked Sendable {
  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: "6F0A6E0C-0000-4000-8000-000000000001"]
  }
}
