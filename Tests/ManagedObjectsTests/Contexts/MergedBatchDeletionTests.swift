import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Merging a batch deletion, whose result names only what it was asked to delete.
@Suite struct MergedBatchDeletionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// `Owner {name, pets}`, `Pet {name, owner, toys}`, `Toy {name, pet}`.
  private func context(
    _ rule: NSDeleteRule, isOne: Bool
  ) throws -> (NSManagedObjectContext, StaticObjects) {
    let pets = SmallModel.relationship("pets", many: !isOne, rule: rule)
    let owner = SmallModel.relationship("owner")
    let toys = SmallModel.relationship("toys", many: true, rule: rule)
    let pet = SmallModel.relationship("pet")
    let owners = SmallModel.entity("Owner", [SmallModel.text("name"), pets])
    let animals = SmallModel.entity("Pet", [SmallModel.text("name"), owner, toys])
    let things = SmallModel.entity("Toy", [SmallModel.text("name"), pet])
    SmallModel.link((pets, of: owners), (owner, of: animals))
    SmallModel.link((toys, of: animals), (pet, of: things))
    let context = SmallModel.context(
      try SmallModel.coordinator(
        SmallModel.model(owners, animals, things), folder.file("a.sqlite")))
    context.retainsRegisteredObjects = true
    let ada = SmallModel.new("Owner", ["name": "Ada"], in: context)
    let dog = SmallModel.new("Pet", ["name": "dog", "owner": ada], in: context)
    let ball = SmallModel.new("Toy", ["name": "ball", "pet": dog], in: context)
    try context.save()
    return (context, (ada, dog, ball))
  }

  private typealias StaticObjects = (
    owner: NSManagedObject, pet: NSManagedObject, toy: NSManagedObject
  )

  private func delete(_ owner: NSManagedObject, _ context: NSManagedObjectContext) throws {
    let request = NSBatchDeleteRequest(objectIDs: [owner.objectID])
    request.resultType = .resultTypeObjectIDs
    let result = try context.execute(request) as? NSBatchDeleteResult
    let ids = try #require(result?.result as? [NSManagedObjectID])
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
  }

  @Test(arguments: [false, true], [false, true])
  func whatLedToItLeadsNowhere(isOne: Bool, hasChanges: Bool) throws {
    let (context, objects) = try context(.nullifyDeleteRule, isOne: isOne)
    if hasChanges { objects.pet["name"] = "cat" }
    try delete(objects.owner, context)
    #expect(objects.pet["owner"] == nil)
    #expect(objects.pet.hasChanges == hasChanges)
    objects.pet["name"] = "mouse"
    try context.save()
    #expect((objects.toy["pet"] as? NSManagedObject)?["name"] as? String == "mouse")
  }

  @Test(arguments: [false, true]) func whatItTookAlongIsDeleted(isOne: Bool) throws {
    let (context, objects) = try context(.cascadeDeleteRule, isOne: isOne)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Toy")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    final class Delegate: NSFetchedResultsControllerDelegate {
      var count = 0
      func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
      ) { count += 1 }
    }
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    try delete(objects.owner, context)
    #expect(objects.pet.isDeleted || objects.pet.managedObjectContext == nil)
    #expect(objects.toy.isDeleted || objects.toy.managedObjectContext == nil)
    #expect(controller.fetchedObjects?.isEmpty == true)
    #expect(delegate.count == 1)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// The deleted object itself need not be known.
  @Test func whatLedToAStrangerLeadsNowhere() throws {
    let (context, objects) = try context(.nullifyDeleteRule, isOne: false)
    let (owner, pet) = (objects.owner.objectID, objects.pet.objectID)
    context.reset()
    let again = try context.existingObject(with: pet)
    _ = again["name"]
    let request = NSBatchDeleteRequest(objectIDs: [owner])
    request.resultType = .resultTypeObjectIDs
    let result = try context.execute(request) as? NSBatchDeleteResult
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: result?.result as Any], into: [context])
    #expect(again["owner"] == nil)
    again["name"] = "mouse"
    try context.save()
  }

  /// Whoever shows an owner learns that it has lost a member, though its row hasn't changed.
  @Test func ownersAreRefreshed() throws {
    let (context, objects) = try context(.nullifyDeleteRule, isOne: false)
    #expect(SmallModel.names(objects.owner, "pets") == ["dog"])
    nonisolated(unsafe) var refreshed: Set<NSManagedObject> = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { refreshed.formUnion($0.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try delete(objects.pet, context)
    #expect(refreshed.contains(objects.owner))
    #expect(SmallModel.names(objects.owner, "pets") == [])
    #expect(objects.toy["pet"] == nil)
  }
}
