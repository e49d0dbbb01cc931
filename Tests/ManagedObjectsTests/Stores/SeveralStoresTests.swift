import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Coordinators with several stores: which object belongs to which store, and saves to all of them.
@Suite struct SeveralStoresTests {
  /// Its row would be in a store that is never searched for it.
  @Test func anObjectIsNotAssignedToAStoreWithoutItsEntity() async {
    await #expect(processExitsWith: .failure) {
      let folder = try TemporaryFolder()
      let (here, there) = (
        SmallModel.entity("Here", [SmallModel.text("a")]),
        SmallModel.entity("There", [SmallModel.text("a")])
      )
      let model = SmallModel.model(here, there)
      model.setEntities([here], forConfigurationName: "Here")
      model.setEntities([there], forConfigurationName: "There")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      for name in ["Here", "There"] {
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: name, at: folder.file(name), options: nil)
      }
      let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let object = NSEntityDescription.insertNewObject(forEntityName: "Here", into: context)
      context.assign(object, to: coordinator.persistentStores[1])
    }
  }

  /// A flag of a read-only catalogue's object, or a value that is again what it was, hinders no save: nothing of it is written.
  @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func transientValuesOfAReadOnlyStore(type: String) throws {
    let folder = try TemporaryFolder()
    let flag = attribute("isSelected", .booleanAttributeType)
    flag.isTransient = true
    let (product, note) = (
      SmallModel.entity("Product", [SmallModel.text("name"), flag]),
      SmallModel.entity("Note", [SmallModel.text("name")])
    )
    let model = SmallModel.model(product, note)
    model.setEntities([product], forConfigurationName: "Catalogue")
    model.setEntities([note], forConfigurationName: "Own")
    func open(isReadOnly: Bool) throws -> NSManagedObjectContext {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: type, configurationName: "Catalogue", at: folder.file("catalogue"),
        options: [NSReadOnlyPersistentStoreOption: isReadOnly])
      try coordinator.addPersistentStore(
        ofType: type, configurationName: "Own", at: folder.file("own"), options: nil)
      return TestStore.context(coordinator)
    }
    let writer = try open(isReadOnly: false)
    _ = SmallModel.new("Product", ["name": "tea"], in: writer)
    try writer.save()
    try TestStore.close(writer)
    let context = try open(isReadOnly: true)
    let tea = try #require(SmallModel.all("Product", context).first)
    tea["isSelected"] = true
    tea["name"] = "coffee"
    tea["name"] = "tea"
    try context.save()
    #expect(!context.hasChanges && tea["isSelected"] as? Bool == true)
    tea["isSelected"] = false
    _ = SmallModel.new("Note", ["name": "x"], in: context)
    try context.save()
    #expect(!context.hasChanges && tea["isSelected"] as? Bool == false)
    #expect(try SmallModel.all("Note", open(isReadOnly: true)).count == 1)
    tea["name"] = "coffee"
    #expect(throws: NSError.self) { try context.save() }
  }

  // MARK: Stores that go

  @Test func anEditOfARemovedStoresObjectIsNotWrittenIntoAnother() throws {
    let folder = try TemporaryFolder()
    let (one, two) = (folder.file("one.sqlite"), folder.file("two.sqlite"))
    let coordinator = try Shelf.coordinator(one, two)
    let stores = coordinator.persistentStores
    let context = Shelf.context(coordinator)
    Shelf.book("of one", context, in: stores[0])
    let book = Shelf.book("of two", context, in: stores[1])
    try context.save()
    try coordinator.remove(stores[1])
    book["title"] = "an edit of two"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [book])
    #expect(context.hasChanges)
    #expect(try Shelf.titles(at: one) == ["of one"])
    #expect(try Shelf.titles(at: two) == ["of two"])
    // The context continues with the remaining stores.
    context.rollback()
    Shelf.book("more", context)
    try context.save()
    #expect(try Shelf.titles(at: one) == ["more", "of one"])
  }

  @Test func aDeletionInOneAccountSparesTheNext() throws {
    let folder = try TemporaryFolder()
    let (first, second) = (folder.file("first.sqlite"), folder.file("second.sqlite"))
    do {
      let other = try Shelf.coordinator(second)
      let context = Shelf.context(other)
      Shelf.book("second's", context)
      try context.save()
    }
    let coordinator = try Shelf.coordinator(first)
    let context = Shelf.context(coordinator)
    let book = Shelf.book("first's", context)
    try context.save()
    try coordinator.remove(coordinator.persistentStores[0])
    try coordinator.addPersistentStore(type: .sqlite, at: second)
    context.delete(book)
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Shelf.titles(at: second) == ["second's"])
    // Adding the same file again doesn't make the old IDs valid either.
    try coordinator.addPersistentStore(type: .sqlite, at: first)
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Shelf.titles(at: first) == ["first's"])
    context.reset()
    #expect(try Shelf.titles(context) == ["first's", "second's"])
  }

  @Test func changesWithoutAnyStoreAreNotReportedAsSaved() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.coordinator(
      folder.file("a.sqlite"), folder.file("b.sqlite"), folder.file("c.sqlite"))
    let stores = coordinator.persistentStores
    let context = Shelf.context(coordinator)
    let book = Shelf.book("in c", context, in: stores[2])
    try context.save()
    try coordinator.remove(stores[2])
    book["title"] = "edited"
    #expect(throws: NSError.self) { try context.save() }
    #expect(context.hasChanges)
    for store in stores[..<2] { try coordinator.remove(store) }
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.localizedDescription.contains("has no persistent stores") == true)
    #expect(context.hasChanges)
  }

  @Test func faultsOfARemovedStoreAreGoneAndStopNoOthers() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.coordinator(folder.file("a.sqlite"), folder.file("b.sqlite"))
    let stores = coordinator.persistentStores
    let context = Shelf.context(coordinator)
    let book = Shelf.book("in b", context, in: stores[1])
    try context.save()
    context.refreshAllObjects()
    try coordinator.remove(stores[1])
    #expect(book["title"] == nil)
    let error = #expect(throws: NSError.self) {
      try Shelf.context(coordinator).existingObject(with: book.objectID)
    }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    Shelf.book("in a", context)
    try context.save()
    #expect(try Shelf.titles(at: folder.file("a.sqlite")) == ["in a"])
  }

  @Test func newObjectsNeedAStoreOfTheCoordinator() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.coordinator(folder.file("a.sqlite"))
    let other = try Shelf.coordinator(folder.file("b.sqlite"))
    let context = Shelf.context(coordinator)
    Shelf.book("lost", context, in: other.persistentStores[0])
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Shelf.titles(at: folder.file("b.sqlite")) == [])
    context.rollback()
    let removed = coordinator.persistentStores[0]
    try coordinator.remove(removed)
    Shelf.book("lost too", context, in: removed)
    #expect(throws: NSError.self) { try context.save() }
  }

  // MARK: Saves of all

  @Test func aConflictInOneStoreIsResolvedForAll() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.divided(folder.file("b.sqlite"), folder.file("t.sqlite"))
    let (mine, theirs) = (Shelf.context(coordinator), Shelf.context(coordinator))
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let (book, toy) = (Shelf.book("a0", mine), Shelf.toy("t0", mine))
    try mine.save()
    for (context, value) in [(theirs, "theirs"), (mine, "mine")] {
      try context.existingObject(with: book.objectID)["title"] = value
      try context.existingObject(with: toy.objectID)["name"] = value
      Shelf.book("new of \(value)", context)
      try context.save()
    }
    #expect(!mine.hasChanges)
    let reader = Shelf.context(coordinator)
    #expect(try Shelf.titles(reader) == ["mine", "new of mine", "new of theirs"])
    #expect(try Shelf.toys(reader) == ["mine"])
    // The error policy reports the conflicts of both stores.
    for value in ["theirs again", "mine again"] {
      let context = value == "mine again" ? mine : theirs
      if context === theirs { theirs.refreshAllObjects() }
      try context.existingObject(with: book.objectID)["title"] = value
      try context.existingObject(with: toy.objectID)["name"] = value
      context.mergePolicy = NSMergePolicy.error
      if context === theirs { try context.save() }
    }
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    #expect((error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any])?.count == 2)
  }

  @Test func aReadOnlyStoreStopsTheSaveBeforeAnythingIsWritten() throws {
    let folder = try TemporaryFolder()
    let (books, toys) = (folder.file("b.sqlite"), folder.file("t.sqlite"))
    do {
      let coordinator = try Shelf.divided(books, toys)
      let context = Shelf.context(coordinator)
      Shelf.toy("seed", context)
      try context.save()
    }
    let coordinator = try Shelf.divided(
      books, toys, toyOptions: [NSReadOnlyPersistentStoreOption: true])
    let context = Shelf.context(coordinator)
    let seed = try #require(try context.fetch(Shelf.request("Toy")).first)
    seed["name"] = "changed"
    let book = Shelf.book("x", context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(
      error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
        == [coordinator.persistentStores[1]])
    #expect(try Shelf.titles(Shelf.context(coordinator)) == [])
    #expect(book.isInserted)
    context.refresh(seed, mergeChanges: false)
    try context.save()
    #expect(try Shelf.titles(Shelf.context(coordinator)) == ["x"])
  }

  /// SQLite rejects a row of the second store: the rows of the first are rolled back and written later.
  @Test func anErrorOfOneStoreTakesTheOthersBack() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.divided(folder.file("b.sqlite"), folder.file("t.sqlite"))
    let context = Shelf.context(coordinator)
    let book = Shelf.book("b", context)
    book["cover"] = Data(count: 300_000)
    Shelf.toy("t", context)
    let engine = try #require(
      try coordinator.persistentStores[1].requireEngine() as? SQLiteEngine)
    try engine.connection.execute(
      "CREATE TEMP TRIGGER refuse BEFORE INSERT ON ZTOY BEGIN SELECT raise(ABORT, 'no'); END")
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Shelf.titles(Shelf.context(coordinator)) == [])
    let files = folder.file(".b_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
    try engine.connection.execute("DROP TRIGGER refuse")
    try context.save()
    #expect(try Shelf.titles(Shelf.context(coordinator)) == ["b"])
    #expect(try Shelf.toys(Shelf.context(coordinator)) == ["t"])
    #expect(try StoreCheck.findings(at: folder.file("b.sqlite")) == [])
  }

  /// A commit that fails after another's: deferred constraints are only checked then.
  @Test func aCommitThatFailsLeavesOnlyItsOwnPartUnsaved() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.divided(folder.file("b.sqlite"), folder.file("t.sqlite"))
    let context = Shelf.context(coordinator)
    Shelf.book("b", context)
    let gone = Shelf.book("gone", context)
    try context.save()
    let engine = try #require(
      try coordinator.persistentStores[1].requireEngine() as? SQLiteEngine)
    try engine.connection.execute(
      """
      PRAGMA foreign_keys=1; CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id REFERENCES p \
      DEFERRABLE INITIALLY DEFERRED); CREATE TEMP TRIGGER refuse AFTER INSERT ON ZTOY BEGIN \
      INSERT INTO c VALUES (7); END
      """)
    context.delete(gone)
    Shelf.book("new", context)
    let toy = Shelf.toy("t", context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreIncompleteSaveError)
    #expect(
      error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
        == [coordinator.persistentStores[1]])
    #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [toy])
    #expect(context.insertedObjects == [toy])
    #expect(context.deletedObjects.isEmpty && context.updatedObjects.isEmpty)
    #expect(try Shelf.titles(Shelf.context(coordinator)) == ["b", "new"])
    try engine.connection.execute("DROP TRIGGER refuse; DROP TABLE c; DROP TABLE p")
    try context.save()
    #expect(!context.hasChanges)
    #expect(try Shelf.titles(Shelf.context(coordinator)) == ["b", "new"])
    #expect(try Shelf.toys(Shelf.context(coordinator)) == ["t"])
  }

  // MARK: Requests to some stores

  @Test func aRequestAsksTheStoresItNames() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.coordinator(folder.file("a.sqlite"), folder.file("b.sqlite"))
    let stores = coordinator.persistentStores
    let context = Shelf.context(coordinator)
    let first = Shelf.book("a1", context, in: stores[0])
    let second = Shelf.book("b1", context, in: stores[1])
    try context.save()
    let request = Shelf.request()
    request.affectedStores = [stores[1]]
    #expect(try context.fetch(request) == [second])
    #expect(try context.count(for: request) == 1)
    // Unsaved objects are included: by the store that they are assigned to.
    Shelf.book("a2", context)
    Shelf.book("b2", context, in: stores[1])
    (first["title"], second["title"]) = ("x", "y")
    request.predicate = NSPredicate(format: "title != 'none'")
    #expect(try context.fetch(request).map { $0["title"] as? String } == ["b2", "y"])
    try context.save()
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    #expect(try child.fetch(request).map { $0["title"] as? String } == ["b2", "y"])
    let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
    rows.resultType = .dictionaryResultType
    rows.propertiesToFetch = ["title"]
    rows.affectedStores = [stores[0]]
    #expect(
      Set(try context.fetch(rows).compactMap { $0["title"] as? String }) == ["a2", "x"])
  }

  // MARK: Adding

  @Test func aStoreIsAddedOnce() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let coordinator = try Shelf.coordinator(url)
    let link = folder.file("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    let copy = folder.file("copy.sqlite")
    try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: url, type: .sqlite)
    for place in [url, link, folder.file("./a.sqlite"), copy] {
      let error = #expect(throws: NSError.self) {
        try coordinator.addPersistentStore(type: .sqlite, at: place)
      }
      #expect(error?.code == 134081)
    }
    #expect(coordinator.persistentStores.count == 1)
    let container = NSPersistentContainer(name: "Twice", managedObjectModel: Shelf.model())
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: folder.file("twice.sqlite"))
    ]
    nonisolated(unsafe) var codes: [Int?] = []
    for _ in 0..<2 {
      container.loadPersistentStores { codes.append(($1 as NSError?)?.code) }
    }
    #expect(codes == [nil, 134081])
    let null = URL(fileURLWithPath: "/dev/null")
    for _ in 0..<2 { try coordinator.addPersistentStore(type: .sqlite, at: null) }
  }

  /// A controller of some stores' objects doesn't follow those of others.
  @Test func aControllerFollowsItsStores() throws {
    final class Listener: NSFetchedResultsControllerDelegate {}
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.coordinator(folder.file("a.sqlite"), folder.file("b.sqlite"))
    let stores = coordinator.persistentStores
    let context = Shelf.context(coordinator)
    let other = Shelf.book("in a", context, in: stores[0])
    Shelf.book("in b", context, in: stores[1])
    try context.save()
    let request = Shelf.request()
    request.affectedStores = [stores[1]]
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    let listener = Listener()
    controller.delegate = listener
    try controller.performFetch()
    func titles() -> [String] {
      controller.fetchedObjects?.compactMap { $0["title"] as? String } ?? []
    }
    #expect(titles() == ["in b"])
    other["title"] = "in a, changed"
    Shelf.book("new in a", context, in: stores[0])
    Shelf.book("new in b", context, in: stores[1])
    context.processPendingChanges()
    #expect(titles() == ["in b", "new in b"])
    try context.save()
    #expect(titles() == ["in b", "new in b"])
    withExtendedLifetime(listener) {}
  }
}
