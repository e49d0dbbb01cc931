import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What a context shows after the policy has resolved a save's conflicts.
@Suite struct ConflictingMembersTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  init() throws {
    folder = try TemporaryFolder()
    let (items, tags) = (
      SmallModel.relationship("items", many: true, ordered: true),
      SmallModel.relationship("tags", many: true)
    )
    let (owner, lists) = (
      SmallModel.relationship("owner"), SmallModel.relationship("lists", many: true)
    )
    let list = SmallModel.entity("List", [SmallModel.text("name"), items, tags])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), owner])
    let tag = SmallModel.entity("Tag", [SmallModel.text("name"), lists])
    SmallModel.link((items, of: list), (owner, of: item))
    SmallModel.link((tags, of: list), (lists, of: tag))
    coordinator = try SmallModel.coordinator(
      SmallModel.model(list, item, tag), folder.file("a.sqlite"))
  }

  private static let trumping: [NSMergePolicyType] = [
    .mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    .overwriteMergePolicyType,
  ]

  private func names(_ object: NSManagedObject, _ key: String) -> [String] {
    let value = object.value(forKey: key)
    let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
    return members.compactMap { ($0 as? NSManagedObject)?["name"] as? String }.sorted()
  }

  /// Both writers change the members of one object; the second shows what both have made of them.
  @Test(arguments: trumping, [("Item", "items"), ("Tag", "tags")])
  func whatTheOtherWriterChangedIsShown(policy: NSMergePolicyType, _ kind: (String, String)) throws
  {
    let (entity, key) = kind
    let (a, b) = (SmallModel.context(coordinator), SmallModel.context(coordinator, policy))
    let list = SmallModel.new("List", in: a)
    let members = ["0", "1", "2", "3"].map { SmallModel.new(entity, ["name": $0], in: a) }
    for member in members.dropLast(2) { list.addObject(member, toRelationshipNamed: key) }
    try a.save()
    let same = try b.existingObject(with: list.objectID)
    #expect(names(same, key) == ["0", "1"])
    list.addObject(members[2], toRelationshipNamed: key)
    list.removeObject(members[0], fromRelationshipNamed: key)
    try a.save()
    same.addObject(try b.existingObject(with: members[3].objectID), toRelationshipNamed: key)
    try b.save()
    let reader = SmallModel.context(coordinator)
    let stored = names(try reader.existingObject(with: list.objectID), key)
    #expect(stored == ["1", "2", "3"])
    #expect(names(same, key) == stored)
    #expect(!b.hasChanges)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A controller drops an object that a policy gave up, as others have deleted it.
  @Test(arguments: [
    NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
  ])
  func whatIsGivenUpLeavesTheResults(policy: NSMergePolicyType) throws {
    let (a, b) = (SmallModel.context(coordinator), SmallModel.context(coordinator, policy))
    let tags = ["A", "B", "C"].map { SmallModel.new("Tag", ["name": $0], in: a) }
    try a.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: b, sectionNameKeyPath: nil, cacheName: nil)
    let follower = Follower()
    controller.delegate = follower
    try controller.performFetch()
    let found = try #require(controller.fetchedObjects)
    found[1]["name"] = "B2"
    a.delete(tags[1])
    try a.save()
    try b.save()
    #expect(controller.fetchedObjects?.map { $0["name"] as? String } == ["A", "C"])
    #expect(follower.deleted == 1)
  }

  private final class Follower: NSObject, NSFetchedResultsControllerDelegate {
    var deleted = 0

    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      if type == .delete { deleted += 1 }
    }
  }

  /// A fetch in memory leaves alone what doesn't match: it is read when the program asks for it.
  @Test(arguments: [NSInMemoryStoreType, NSXMLStoreType, NSSQLiteStoreType])
  func whatDoesNotMatchIsReadLater(type: String) throws {
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: SmallModel.model(
        SmallModel.entity("Note", [SmallModel.number("aNumber")])))
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("b"), options: nil)
    let (a, b) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let note = SmallModel.new("Note", ["aNumber": 1], in: a)
    try a.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.predicate = NSPredicate(format: "aNumber > 500")
    #expect(try b.fetch(request).isEmpty)
    note["aNumber"] = 721
    try a.save()
    #expect(try b.fetch(request).map { $0["aNumber"] as? Int } == [721])
  }
}
