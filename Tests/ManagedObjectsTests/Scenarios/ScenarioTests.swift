import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Typical programs, from opening a store to reading it again.
@Suite struct ScenarioTests {
  // MARK: A download cache

  static func cacheModel(extraAttribute: Bool = false) -> NSManagedObjectModel {
    let file = entity("DTCachedFile")
    let url = attribute("remoteURL", .stringAttributeType, optional: false)
    let data = attribute("fileData", .binaryDataAttributeType, optional: false)
    data.allowsExternalBinaryDataStorage = true
    var properties = [
      url, data, attribute("lastAccessDate", .dateAttributeType, optional: false),
      attribute("expirationDate", .dateAttributeType, optional: false),
      attribute("contentType", .stringAttributeType),
      attribute("fileSize", .integer32AttributeType, optional: false),
    ]
    if extraAttribute { properties.append(attribute("note", .stringAttributeType)) }
    file.properties = properties
    file.indexes = [
      NSFetchIndexDescription(
        name: "byRemoteURL",
        elements: [NSFetchIndexElementDescription(property: url, collationType: .binary)])
    ]
    return NSManagedObjectModel(of: [file])
  }

  @Test func aDownloadCacheKeepsLargeFilesBesideTheStore() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("Cache.sqlite")
    let external = folder.file(".Cache_SUPPORT/_EXTERNAL_DATA")
    let context = try open(store, Self.cacheModel())
    let small = cachedFile(context, Data(repeating: 1, count: 1000))
    let large = cachedFile(context, Data(repeating: 2, count: 200_000))
    try context.save()
    let files = try FileManager.default.contentsOfDirectory(atPath: external.path)
    #expect(files.count == 1)
    #expect(UUID(uuidString: files.first ?? "") != nil)

    let again = try open(store, Self.cacheModel())
    let request = NSFetchRequest<NSManagedObject>(entityName: "DTCachedFile")
    request.predicate = NSPredicate(format: "fileSize > %d", 100_000)
    let found = try #require(try again.fetch(request).first)
    #expect(found["fileData"] as? Data == Data(repeating: 2, count: 200_000))
    context.delete(large)
    context.delete(small)
    try context.save()
    #expect(try FileManager.default.contentsOfDirectory(atPath: external.path).isEmpty)
  }

  private func cachedFile(_ context: NSManagedObjectContext, _ data: Data) -> NSManagedObject {
    let file = NSEntityDescription.insertNewObject(forEntityName: "DTCachedFile", into: context)
    file["remoteURL"] = "https://example.org/\(data.count)"
    file["fileData"] = data
    file["fileSize"] = data.count
    file["lastAccessDate"] = Date(timeIntervalSinceReferenceDate: 1)
    file["expirationDate"] = Date(timeIntervalSinceReferenceDate: 2)
    return file
  }

  @Test func aStoreOfAnotherModelIsRefusedAndMayBeMadeAnew() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("Cache.sqlite")
    _ = try open(store, Self.cacheModel())
    let changed = Self.cacheModel(extraAttribute: true)
    let error = #expect(throws: NSError.self) { _ = try open(store, changed) }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    try FileManager.default.removeItem(at: store)
    let context = try open(store, changed)
    #expect(
      try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "DTCachedFile")) == 0)
  }

  // MARK: A package without a model file

  @Test @MainActor func aContainerOpensSavesAndReopens() throws {
    let folder = try TemporaryFolder()
    func container() -> NSPersistentContainer {
      let entity = entity(
        "ExampleEntiry",
        [
          attribute("name", .stringAttributeType),
          attribute("date", .dateAttributeType, optional: false),
        ])
      let model = NSManagedObjectModel(of: [entity])
      let container = NSPersistentContainer(name: "ExampleModel", managedObjectModel: model)
      container.persistentStoreDescriptions = [
        NSPersistentStoreDescription(url: folder.file("ExampleModel.sqlite"))
      ]
      container.loadPersistentStores { _, error in #expect(error == nil) }
      return container
    }
    let first = container()
    let object = NSEntityDescription.insertNewObject(
      forEntityName: "ExampleEntiry", into: first.viewContext)
    object["name"] = "first"
    object["date"] = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    try first.viewContext.save()
    let second = container()
    let found = try second.viewContext.fetch(
      NSFetchRequest<NSManagedObject>(entityName: "ExampleEntiry"))
    #expect(found.map { $0["name"] as? String } == ["first"])
    #expect(found.first?["date"] as? Date == Date(timeIntervalSinceReferenceDate: 700_000_000.25))
  }

  // MARK: Coffees, and a conflict

  @Test func aConflictIsMergedByThePolicy() throws {
    let folder = try TemporaryFolder()
    let coffee = entity(
      "Coffee",
      [
        attribute("name", .stringAttributeType, optional: false),
        attribute("brand", .stringAttributeType, optional: false),
        attribute("rating", .decimalAttributeType),
      ])
    let model = NSManagedObjectModel(of: [coffee])
    let coordinator = try TestStore.coordinator(
      model, at: folder.file("Coffee.sqlite"), configuration: "PF_DEFAULT_CONFIGURATION_NAME")
    let (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    mine.retainsRegisteredObjects = true
    mine.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    let object = NSEntityDescription.insertNewObject(forEntityName: "Coffee", into: mine)
    (object["name"], object["brand"], object["rating"]) = ("Yirga", "A", Decimal(string: "4.75"))
    try mine.save()
    let same = theirs.object(with: object.objectID)
    (same["brand"], same["rating"]) = ("B", 3)
    try theirs.save()
    object["rating"] = 5
    try mine.save()
    let fresh = TestStore.context(coordinator)
    let saved = fresh.object(with: object.objectID)
    #expect(saved["brand"] as? String == "B")
    #expect(saved["rating"] as? NSDecimalNumber == 5)
    #expect(saved.version == 3)
  }

  // MARK: Companies and workers

  @Test func companiesHireMoveAndDismiss() throws {
    let folder = try TemporaryFolder()
    let (company, worker) = (entity("CompanyMO"), entity("WorkerMO"))
    let workers = relationship("workers", to: worker, max: 0)
    let employer = relationship("company", to: company, max: 1)
    link(workers, employer)
    company.properties = [attribute("companyName", .stringAttributeType), workers]
    worker.properties = [
      attribute("firstname", .stringAttributeType), attribute("lastname", .stringAttributeType),
      employer,
    ]
    let model = NSManagedObjectModel(of: [company, worker])
    let store = folder.file("Cyrmax.sqlite")
    let context = try open(store, model)
    func insert(_ entity: String) -> NSManagedObject {
      NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }
    let (first, second) = (insert("CompanyMO"), insert("CompanyMO"))
    (first["companyName"], second["companyName"]) = ("One", "Two")
    let people = ["Zuse", "Ada", "Möller", "Babbage"].map { name in
      let person = insert("WorkerMO")
      person["lastname"] = name
      person["company"] = first
      return person
    }
    try context.save()
    people[1]["company"] = second
    people[2]["company"] = nil
    try context.save()

    let reader = try open(store, model)
    let request = NSFetchRequest<NSManagedObject>(entityName: "WorkerMO")
    request.predicate = NSPredicate(format: "company.companyName == %@", "One")
    request.sortDescriptors = [NSSortDescriptor(key: "lastname", ascending: true)]
    #expect(try reader.fetch(request).map { $0["lastname"] as? String } == ["Babbage", "Zuse"])
    request.predicate = NSPredicate(format: "company == nil OR lastname BEGINSWITH[c] 'ad'")
    #expect(try reader.fetch(request).map { $0["lastname"] as? String } == ["Ada", "Möller"])
    let companies = NSFetchRequest<NSManagedObject>(entityName: "CompanyMO")
    companies.predicate = NSPredicate(format: "ANY workers.lastname == %@", "Zuse")
    #expect(try reader.fetch(companies).map { $0["companyName"] as? String } == ["One"])
    companies.predicate = NSPredicate(format: "workers.@count == 1")
    #expect(try reader.fetch(companies).map { $0["companyName"] as? String } == ["Two"])

    context.delete(first)
    try context.save()
    #expect(people[0]["company"] == nil)
    request.predicate = NSPredicate(format: "company == nil")
    reader.reset()
    #expect(try reader.count(for: request) == 3)
  }

  // MARK: Tools

  private func open(_ url: URL, _ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
    let coordinator = try TestStore.coordinator(model, at: url)
    return TestStore.context(coordinator)
  }
}
