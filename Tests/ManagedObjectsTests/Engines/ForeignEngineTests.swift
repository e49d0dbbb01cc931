import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Values returned by engines of other packages are checked; `Tools/Engines` contains a correct one.
@Suite struct ForeignEngineTests {
  private let model: NSManagedObjectModel

  init() {
    NSPersistentStoreCoordinator.registerEngine(FaultyEngine.self, forStoreType: "Faulty")
    model = NSManagedObjectModel(of: [entity("Note", [attribute("name")])])
  }

  @Test func aKeyThatIsNoneIsAnError() throws {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    context.persistentStoreCoordinator = coordinator
    let url = try #require(URL(string: "faulty:store"))
    try coordinator.addPersistentStore(type: .init(rawValue: "Faulty"), at: url)
    context.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSPersistentStoreOperationError)
      #expect(error?.localizedDescription.contains("the key 0") == true)
      #expect(context.insertedObjects.count == 1, "It can be saved elsewhere.")
    }
  }

  @Test func positionsOutOfRangeEndTheProgram() async {
    await #expect(processExitsWith: .failure) {
      let store = StoreReference(identifier: "store", layouts: nil)
      ChangedObjects().follow(SaveOutcome(written: [3]), in: store)
    }
  }

  @Test func registeredEnginesAreTypesOfStores() {
    let known: AnyClass? = NSPersistentStoreCoordinator.registeredStoreTypes["Faulty"]
    #expect(known.map { $0 == NSPersistentStore.self } == true)
    NSPersistentStoreCoordinator.registerEngine(FaultyEngine.self, forStoreType: NSSQLiteStoreType)
    #expect(!StoreTypes.isForeign(NSSQLiteStoreType), "Types of this package stay what they are.")
  }
}

/// An engine without rows, which returns invalid keys.
private final class FaultyEngine: StoreEngine, StoreEngineType {
  let reference: StoreReference
  var metadata: [String: Any] = [:]
  let isReadOnly = false

  private init(_ opening: StoreOpening) {
    reference = StoreReference(identifier: UUID().uuidString, layouts: opening.layouts)
  }

  static func open(_ opening: StoreOpening) throws -> any StoreEngine { FaultyEngine(opening) }
  static func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] { [:] }
  static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?
  ) throws {}
  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?
  ) throws {}
  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {}

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool { true }
  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool { false }
  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {}
  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 { 0 }
  func prepare(_ changes: StoreChanges) throws -> any PreparedSave { DeferredSave { nil } }
  func close() {}
}
