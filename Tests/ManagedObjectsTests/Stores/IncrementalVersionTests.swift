import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows of incremental stores that can't be read, and their versions.
@Suite(.serialized) struct IncrementalVersionTests {
  private let context: NSManagedObjectContext
  private let store: CountingStore
  private let author: NSManagedObject

  init() throws {
    NSPersistentStoreCoordinator.registerStoreClass(CountingStore.self, forStoreType: "Counting")
    let coordinator = try TestStore.coordinator(CustomStoreTests.model(), type: "Counting")
    context = TestStore.context(coordinator)
    store = try #require(coordinator.persistentStores.first as? CountingStore)
    author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
    author["name"] = "one"
    try context.save()
  }

  private var row: CountingStore.Row? {
    store.rows[store.key(author.objectID)]
  }

  /// A timeout doesn't say that nobody has changed the row.
  @Test func whatCannotBeReadIsNotOverwritten() throws {
    author["name"] = "mine"
    store.rows[store.key(author.objectID)] = CountingStore.Row(name: "theirs", version: 9)
    store.failure = URLError(.timedOut)
    #expect(throws: URLError.self) { try context.save() }
    #expect(row?.name == "theirs")
    store.failure = nil
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    #expect(row?.name == "theirs")
  }

  /// An object whose row couldn't be read after its save has no conflict with that save.
  @Test func anObjectIsNoConflictWithItself() throws {
    for name in ["two", "three"] {
      author["name"] = name
      store.failsAfterSaving = true
      try context.save()
      #expect(!context.hasChanges)
      store.failure = nil
    }
    author["name"] = "four"
    try context.save()
    #expect(row?.name == "four")
    // With others it has.
    store.failure = nil
    author["name"] = "five"
    try context.save()
    (store.failure, store.failsAfterSaving) = (nil, false)
    store.rows[store.key(author.objectID)] = CountingStore.Row(name: "theirs", version: 20)
    author["name"] = "mine"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }

  /// A new object, too.
  @Test func aNewObjectIsNoConflictWithItself() throws {
    let other = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
    other["name"] = "new"
    store.failsAfterSaving = true
    try context.save()
    (store.failure, store.failsAfterSaving) = (nil, false)
    other["name"] = "edited"
    try context.save()
    #expect(store.rows[store.key(other.objectID)]?.name == "edited")
  }

  /// One that is deleted between the store's search and its reading is left out.
  @Test func aRowThatHasGoneMeanwhileIsNotFound() throws {
    let other = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
    other["name"] = "gone"
    try context.save()
    store.vanished = [store.key(other.objectID)]
    let reader = TestStore.context(context.persistentStoreCoordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    #expect(try reader.fetch(request).map { $0["name"] as? String } == ["one"])
    store.failure = URLError(.timedOut)
    #expect(throws: URLError.self) { try reader.fetch(request) }
  }
}

/// Authors with versions, which may be out of reach.
private final class CountingStore: NSIncrementalStore, @unchecked Sendable {
  struct Row {
    var name: String?
    var version: UInt64
  }
  var rows: [String: Row] = [:]
  /// The rows that are found, and gone when they are read.
  var vanished: Set<String> = []
  /// What is thrown instead of a row's values.
  var failure: URLError?
  /// Whether rows can't be read from the end of a save on.
  var failsAfterSaving = false

  override func loadMetadata() throws { metadata = [NSStoreTypeKey: type] }

  func key(_ id: NSManagedObjectID) -> String { referenceObject(for: id) as? String ?? "" }

  override func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    if let save = request as? NSSaveChangesRequest {
      for object in (save.insertedObjects ?? []).union(save.updatedObjects ?? []) {
        let key = key(object.objectID)
        rows[key] = Row(
          name: object.value(forKey: "name") as? String, version: (rows[key]?.version ?? 4) + 1)
      }
      if failsAfterSaving { failure = URLError(.timedOut) }
      return [Any]()
    }
    guard let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let entity = fetch.entity
    else { throw CocoaError(.featureUnsupported) }
    return rows.keys.sorted().map { newObjectID(for: entity, referenceObject: $0) }
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    if let failure { throw failure }
    guard let row = rows[key(objectID)], !vanished.contains(key(objectID)) else {
      throw CocoaError(.managedObjectReferentialIntegrity)
    }
    return NSIncrementalStoreNode(
      objectID: objectID, withValues: row.name.map { ["name": $0] } ?? [:], version: row.version)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any { [NSManagedObjectID]() }
}
