import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What a merge policy takes from another writer's row is told like what a merge does.
@Suite struct MergedValueTests {
  private final class Delegate: NSFetchedResultsControllerDelegate {
    var moves = 0
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      if type == .move { moves += 1 }
    }
  }

  @Test(arguments: [
    NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType,
    .mergeByPropertyStoreTrumpMergePolicyType,
  ])
  func controllersFollow(policy: NSMergePolicyType) throws {
    let folder = try TemporaryFolder()
    let note = SmallModel.entity("Note", [SmallModel.text("title"), SmallModel.number("read")])
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(note), folder.file("a.sqlite"))
    let (mine, theirs) = (
      SmallModel.context(coordinator, policy), SmallModel.context(coordinator)
    )
    let notes = ["a", "b", "c"].map { SmallModel.new("Note", ["title": $0], in: mine) }
    try mine.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: mine, sectionNameKeyPath: nil, cacheName: nil)
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    try theirs.existingObject(with: notes[0].objectID)["title"] = "z"
    try theirs.save()
    notes[0]["read"] = 1
    try mine.save()
    #expect(notes[0]["title"] as? String == "z")
    #expect(
      controller.fetchedObjects?.compactMap { $0["title"] as? String } == ["b", "c", "z"])
    #expect(delegate.moves == 1)
    #expect(!mine.hasChanges)
  }
}
