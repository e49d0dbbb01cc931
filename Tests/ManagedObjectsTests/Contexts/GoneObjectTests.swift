import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects without a row: deleted by other writers, or never saved.
@Suite struct GoneObjectTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let friend = SmallModel.relationship("friend")
    let (owner, parts) = (
      SmallModel.relationship("owner"), SmallModel.relationship("parts", many: true)
    )
    let a = SmallModel.entity("A", [SmallModel.text("name"), friend, owner, parts])
    friend.destinationEntity = a
    SmallModel.link((owner, of: a), (parts, of: a))
    context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(a), folder.file("a.sqlite")))
    context.retainsRegisteredObjects = true
  }

  private final class Delegate: NSFetchedResultsControllerDelegate {}

  private func controller(
    _ delegate: Delegate
  ) throws -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "A")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    controller.delegate = delegate
    try controller.performFetch()
    return controller
  }

  /// Deletes an object's row without the context, and merges the deletion.
  private func deleteElsewhere(_ object: NSManagedObject) throws {
    let request = NSBatchDeleteRequest(objectIDs: [object.objectID])
    request.resultType = .resultTypeObjectIDs
    let result = try context.execute(request) as? NSBatchDeleteResult
    let ids = try #require(result?.result as? [NSManagedObjectID])
    #expect(ids == [object.objectID])
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
  }

  private func useUndo() {
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
  }

  private func expectGone(_ object: NSManagedObject) throws {
    #expect(object.isDeleted)
    #expect(!context.hasChanges)
    #expect(try SmallModel.all("A", context).isEmpty)
    #expect(throws: NSError.self) { try context.existingObject(with: object.objectID) }
  }

  // MARK: Deleted rows

  @Test(arguments: [false, true])
  func rollbackBringsNoneBack(isChangeOnly: Bool) throws {
    let object = SmallModel.new("A", ["name": "a"], in: context)
    try context.save()
    let delegate = Delegate()
    let controller = try controller(delegate)
    if isChangeOnly { object["name"] = "b" } else { context.delete(object) }
    try deleteElsewhere(object)
    try expectGone(object)
    context.rollback()
    try expectGone(object)
    #expect(controller.fetchedObjects?.isEmpty == true)
    context.refreshAllObjects()
    context.refresh(object, mergeChanges: false)
    context.processPendingChanges()
    try expectGone(object)
    #expect(controller.fetchedObjects?.isEmpty == true)
    try context.save()
  }

  @Test func deletionsHereReachWhatOthersHaveNotReached() throws {
    let owner = SmallModel.new("A", ["name": "owner"], in: context)
    try context.save()
    let part = SmallModel.new("A", ["name": "part", "owner": owner], in: context)
    context.delete(owner)
    try deleteElsewhere(owner)
    #expect(part["owner"] == nil)
    try context.save()
    #expect(try SmallModel.all("A", context) == [part])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test(arguments: [false, true])
  func whatIsUndoneIsInsertedAgain(byInserting: Bool) throws {
    useUndo()
    let object = SmallModel.new("A", ["name": "a"], in: context)
    try context.save()
    context.delete(object)
    try deleteElsewhere(object)
    if byInserting { context.insert(object) } else { context.undo() }
    #expect(object.isInserted)
    #expect(object["name"] as? String == "a")
    try context.save()
    context.reset()
    #expect(try SmallModel.all("A", context).map { $0["name"] as? String } == ["a"])
  }

  @Test func whatIsThereAgainIsRefreshed() throws {
    let object = SmallModel.new("A", ["name": "a"], in: context)
    try context.save()
    let connection = try SQLiteConnection(writing: folder.file("a.sqlite"), creation: .existing)
    try connection.execute("CREATE TABLE KEPT AS SELECT * FROM ZA")
    try deleteElsewhere(object)
    context.refresh(object, mergeChanges: true)
    #expect(object.isDeleted)
    try connection.execute("INSERT INTO ZA SELECT * FROM KEPT")
    context.refresh(object, mergeChanges: true)
    #expect(!object.isDeleted)
    #expect(object["name"] as? String == "a")
    #expect(!context.hasChanges)
  }

  @Test func refreshingWithoutMergingMakesAFaultOfWhatIsGone() throws {
    let object = SmallModel.new("A", ["name": "a"], in: context)
    try context.save()
    try deleteElsewhere(object)
    #expect(!object.isFault && object["name"] as? String == "a")
    context.refresh(object, mergeChanges: false)
    #expect(object.isFault && object.isDeleted)
    #expect(object["name"] == nil && object.isDeleted)
    try expectGone(object)
    // There is nothing left to insert again.
    context.insert(object)
    #expect(!object.isInserted)
    try context.save()
  }

  @Test(arguments: [false, true])
  func isAmongTheDeletedUntilTheEventEnds(bySaving: Bool) throws {
    let (kept, object) = (
      SmallModel.new("A", ["name": "kept"], in: context),
      SmallModel.new("A", ["name": "a"], in: context)
    )
    try context.save()
    try deleteElsewhere(object)
    #expect(context.deletedObjects == [object] && !context.hasChanges)
    #expect(context.registeredObjects == [kept, object])
    if bySaving { try context.save() } else { context.processPendingChanges() }
    #expect(context.deletedObjects.isEmpty)
    context.delete(kept)
    try deleteElsewhere(kept)
    #expect(context.deletedObjects == [kept] && !context.hasChanges)
    context.rollback()
    #expect(context.deletedObjects.isEmpty)
    try expectGone(kept)
  }

  // MARK: Cancelled insertions

  @Test(arguments: [false, true])
  func anInsertionThatIsRefreshedIsAFault(isPermanent: Bool) throws {
    let object = SmallModel.new("A", ["name": "a"], in: context)
    if isPermanent { try context.obtainPermanentIDs(for: [object]) }
    for _ in 0..<2 {
      #expect(!object.isFault)
      context.refresh(object, mergeChanges: false)
      #expect(object.isFault)
      #expect(!object.isInserted && context.insertedObjects.isEmpty && !context.hasChanges)
      object.willAccessValue(forKey: nil)
      #expect(!object.isFault && object.isDeleted && object["name"] == nil)
    }
    object["name"] = "b"
    try context.save()
    #expect(try SmallModel.all("A", context).isEmpty)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test(arguments: [false, true])
  func whatLeadsToThemIsDeleted(isPermanent: Bool) throws {
    let delegate = Delegate()
    let controller = try controller(delegate)
    let object = SmallModel.new("A", ["name": "a"], in: context)
    do {
      let friend = SmallModel.new("A", ["name": "friend"], in: context)
      object["friend"] = friend
      if isPermanent { try context.obtainPermanentIDs(for: [friend]) }
      context.delete(friend)
      context.processPendingChanges()
    }
    let friend = try #require(object["friend"] as? NSManagedObject)
    #expect(friend.isDeleted)
    #expect(throws: NSError.self) { try context.existingObject(with: friend.objectID) }
    context.refreshAllObjects()
    context.processPendingChanges()
    #expect(controller.fetchedObjects == [object])
    #expect(friend["name"] == nil)
    object["friend"] = nil
    try context.save()
    #expect(try SmallModel.all("A", context) == [object])
  }

  /// A relationship that was read meanwhile isn't an obstacle.
  @Test(arguments: [false, true])
  func theyComeBack(byInserting: Bool) throws {
    useUndo()
    let object = SmallModel.new("A", ["name": "a"], in: context)
    let friend = SmallModel.new("A", ["name": "friend"], in: context)
    object["friend"] = friend
    context.processPendingChanges()
    context.delete(friend)
    context.processPendingChanges()
    #expect((object["friend"] as? NSManagedObject)?.isDeleted == true)
    if byInserting { context.insert(friend) } else { context.undo() }
    #expect(friend.isInserted)
    #expect(object["friend"] as? NSManagedObject === friend)
    #expect(context.insertedObjects == [object, friend])
    try context.save()
    #expect(try SmallModel.all("A", context).count == 2)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// Lists may show deleted objects for a moment longer.
  @Test func relationshipsOfWhatWasDeletedAndSavedAreEmpty() throws {
    let context = try Company.context()
    let person = insert(PersonMO.self, "Person", context)
    let employer = insert(CompanyMO.self, "Company", context)
    employer.name = "Analytical Engines"
    person.employer = employer
    try context.save()
    context.delete(person)
    try context.save()
    #expect(person.employer == nil)
    #expect(person.value(forKey: "employer") == nil)
    #expect(person.tasks.isEmpty)
  }

  @Test func whatWasDeletedTogetherIsFreed() throws {
    weak var gone: PersonMO?
    let context = try Company.context()
    do {
      let person = insert(PersonMO.self, "Person", context)
      let project = NSEntityDescription.insertNewObject(forEntityName: "Project", into: context)
      person.projects = [project]
      try context.save()
      context.delete(person)
      context.delete(project)
      try context.save()
      #expect(person.projects.isEmpty)
      gone = person
    }
    #expect(gone == nil)
  }

  /// A deletion that isn't propagated yet reaches an object whose row is gone as well: nothing is left to save.
  @Test func whatADeletionReachesIsGoneToo() throws {
    let part = SmallModel.relationship("part", rule: .cascadeDeleteRule)
    let entity = SmallModel.entity("A", [SmallModel.text("name"), part])
    part.destinationEntity = entity
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(entity), folder.file("parts.sqlite"))
    let (here, elsewhere) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let part1 = SmallModel.new("A", ["name": "part"], in: here)
    let whole = SmallModel.new("A", ["name": "whole", "part": part1], in: here)
    try here.save()
    here.delete(whole)
    for object in [part1, whole] {
      elsewhere.delete(try elsewhere.existingObject(with: object.objectID))
    }
    try elsewhere.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [part1.objectID, whole.objectID]],
      into: [here])
    #expect(part1.isDeleted && whole.isDeleted)
    #expect(!here.hasChanges)
    try here.save()
  }
}
