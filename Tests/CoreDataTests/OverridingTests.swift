import CoreData
import Foundation
import Testing

/// Test doubles of Core Data's classes, as programs write them: what Apple's headers leave open to subclasses can be
/// overridden in another module.
@Suite struct OverridingTests {
  // No model of other tests may have an entity with a class of this name: it would be found.
  private final class OverriddenPerson: NSManagedObject {
    @Managed var name: String?
    // MomKit's own additions leave their names to programs.
    static func register() -> String { "own" }

    override func changedValues() -> [String: Any] {
      super.changedValues().merging(["double": true]) { $1 }
    }
    override func changedValuesForCurrentEvent() -> [String: Any] { [:] }
    override func committedValues(forKeys keys: [String]?) -> [String: Any] { ["name": "old"] }
    override var hasPersistentChangedValues: Bool { true }
    override var hasChanges: Bool { super.hasChanges }
    override var faultingState: Int { 2 }
    override func hasFault(forRelationshipNamed key: String) -> Bool { false }
    override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] { [] }
  }

  private final class Context: NSManagedObjectContext, @unchecked Sendable {
    var requests: [String] = []
    var saves = 0
    var changes: [Int] = []
    var answer: [NSManagedObject]?

    override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
      requests.append("fetch \(request.entityName ?? "")")
      return try answer ?? super.fetch(request)
    }
    override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
      requests.append("count")
      return try super.count(for: request)
    }
    override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
      requests.append("execute")
      return Inserted()
    }
    override var automaticallyMergesChangesFromParent: Bool {
      get { true }
      set { requests.append("merging \(newValue)") }
    }
    override class func mergeChanges(
      fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
      for case let context as Context in contexts { context.requests.append("merged") }
    }
    override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
      throw CocoaError(.featureUnsupported)
    }
    override var queryGenerationToken: NSQueryGenerationToken? { nil }
    override func assign(_ object: Any, to store: NSPersistentStore) { requests.append("assign") }
  }

  private final class Inserted: NSBatchInsertResult, @unchecked Sendable {
    override var result: Any? { 42 }
  }

  private final class History: NSPersistentHistoryResult, @unchecked Sendable {
    override var result: Any? { [] }
  }

  private final class Transaction: NSPersistentHistoryTransaction, @unchecked Sendable {
    override var author: String? { "double" }
    override var changes: [NSPersistentHistoryChange]? { [Change()] }
  }

  private final class Change: NSPersistentHistoryChange, @unchecked Sendable {
    private static let id = ID()
    override var changedObjectID: NSManagedObjectID { Self.id }
    override var changeType: NSPersistentHistoryChangeType { .delete }
  }

  private final class ID: NSManagedObjectID, @unchecked Sendable {
    override var isTemporaryID: Bool { false }
    override func uriRepresentation() -> URL { URL(fileURLWithPath: "/id") }
  }

  private final class Coordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    override func execute(
      _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
    ) throws -> Any { 1 }
    override func metadata(for store: NSPersistentStore) -> [String: Any] { ["double": 1] }
    override func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {}
    override func destroyPersistentStore(
      at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws { throw CocoaError(.fileWriteNoPermission) }
    override func replacePersistentStore(
      at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
      withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
      ofType storeType: String
    ) throws {}
    override func migratePersistentStore(
      _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
      withType storeType: String
    ) throws -> NSPersistentStore { store }
    override func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { false }
    override func currentPersistentHistoryToken(
      fromStores stores: [Any]?
    ) -> NSPersistentHistoryToken? { nil }
  }

  private func context() throws -> Context {
    let entity = NSEntityDescription(), name = NSAttributeDescription()
    (entity.name, entity.managedObjectClassName) = (
      "OverriddenPerson", NSStringFromClass(OverriddenPerson.self)
    )
    (name.name, name.attributeType) = ("name", .stringAttributeType)
    entity.properties = [name]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = Coordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let context = Context(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test func typedFetchesGoThroughTheOverride() throws {
    let context = try context()
    let person = OverriddenPerson(context: context)
    person.name = "Ada"
    let request = NSFetchRequest<OverriddenPerson>(entityName: "OverriddenPerson")
    #expect(try context.fetch(request) == [person])
    #expect(try context.count(for: request) == 1)
    context.answer = []
    #expect(try context.fetch(request).isEmpty)
    #expect(
      try context.fetch(NSFetchRequest<any NSFetchRequestResult>(entityName: "OverriddenPerson"))
        .isEmpty)
    #expect(
      context.requests == [
        "fetch OverriddenPerson", "count", "fetch OverriddenPerson", "fetch OverriddenPerson",
      ])
  }

  @Test func contextsAndCoordinatorsCanBeReplaced() throws {
    let context = try context()
    let coordinator = try #require(context.persistentStoreCoordinator)
    let store = try #require(coordinator.persistentStores.first)
    let result = try context.execute(NSBatchDeleteRequest(objectIDs: [])) as? NSBatchInsertResult
    #expect(result?.result as? Int == 42)
    context.automaticallyMergesChangesFromParent = false
    Context.mergeChanges(fromRemoteContextSave: [:], into: [context])
    context.assign(context, to: store)
    #expect(context.requests == ["execute", "merging false", "merged", "assign"])
    #expect(throws: CocoaError.self) { try context.setQueryGenerationFrom(.current) }
    #expect(coordinator.metadata(for: store)["double"] as? Int == 1)
    let url = URL(fileURLWithPath: "/nowhere")
    #expect(throws: CocoaError.self) {
      try coordinator.destroyPersistentStore(at: url, type: .sqlite)
    }
    #expect(try coordinator.migratePersistentStore(store, to: url, type: .xml) === store)
  }

  @Test func objectsTellWhatTheirClassSays() throws {
    let person = OverriddenPerson(context: try context())
    person.name = "Ada"
    #expect(person.changedValues().keys.sorted() == ["double", "name"])
    #expect(person.committedValues(forKeys: nil)["name"] as? String == "old")
    #expect(person.faultingState == 2)
    #expect(OverriddenPerson.register() == "own")
  }

  @Test func identitiesAndConflictsExistWithoutARow() {
    let id = ID()
    #expect(!id.isTemporaryID)
    #expect(id != ID())
    #expect(NSManagedObjectID().isTemporaryID)
    #expect(NSManagedObjectID().entity.name == nil)
    #expect(NSConstraintConflict().conflictingObjects.isEmpty)
    #expect(Transaction().author == "double")
    let deleted = Transaction().objectIDNotification().userInfo?[NSDeletedObjectIDsKey] as? NSSet
    #expect(deleted?.anyObject() is ID)
  }

  @Test func changesOfPrimitiveValuesAreAnnouncedByKeyPath() throws {
    let person = OverriddenPerson(context: try context())
    var seen: [String?] = []
    let token = person.observe(\.name) { person, _ in seen.append(person.name) }
    person.willChangeValue(for: \.name)
    person.setPrimitiveValue("Bea", forKey: "name")
    person.didChangeValue(for: \.name)
    #expect(seen == ["Bea"])
    token.invalidate()
  }

  @Test func foundationsOwnTransformersHaveTheirNames() throws {
    let negation = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
    #expect(negation.transformedValue(true) as? Bool == false)
    #expect(negation.reverseTransformedValue(false) as? Bool == true)
    #expect(
      ValueTransformer(forName: .isNilTransformerName)?.transformedValue(nil) as? Bool == true)
    #expect(
      ValueTransformer(forName: .isNotNilTransformerName)?.transformedValue(nil) as? Bool == false)
  }
}
