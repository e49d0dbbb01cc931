import DataModels
import Foundation
import StoreSupport
import Testing

@testable import ManagedObjects

/// Controllers that a program casts to another result type on Apple's systems.
@Suite struct ConvertedControllerTests {
  private func make(
    _ names: String..., in context: NSManagedObjectContext
  ) throws -> NSFetchedResultsController<any NSFetchRequestResult> {
    for name in names { insert(PersonMO.self, "Person", context).name = name }
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
  }

  @Test func aConvertedControllerSharesItsResults() throws {
    let controller = try make("Bo", "Al", in: Company.context())
    try controller.performFetch()
    let people = try #require(NSFetchedResultsController<PersonMO>.converted(from: controller))
    #expect(people.fetchedObjects?.map(\.name) == ["Al", "Bo"])
    #expect(people.object(at: [0, 1]).name == "Bo")
    #expect(people === controller && people.isEqual(controller))
    let same = NSFetchedResultsController<PersonMO>.converted(from: people as Any)
    #expect(same.map(ObjectIdentifier.init) == ObjectIdentifier(people))
    #expect(NSFetchedResultsController<PersonMO>.converted(from: "a controller") == nil)
    #expect(NSFetchedResultsController<PersonMO>.converted(from: nil) == nil)
  }

  /// What keeps only the converted controller is told of changes.
  @Test func aConvertedControllerHasTheDelegate() throws {
    final class Delegate: NSFetchedResultsControllerDelegate {
      var people: NSFetchedResultsController<PersonMO>?
      var told: [String?] = []
      func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
      ) {
        told += controller === people ? people?.fetchedObjects?.map(\.name) ?? [] : []
      }
    }
    let context = try Company.context()
    let delegate = Delegate()
    delegate.people = try .converted(from: make("Al", in: context))
    delegate.people?.delegate = delegate
    try delegate.people?.performFetch()
    insert(PersonMO.self, "Person", context).name = "Bo"
    context.processPendingChanges()
    #expect(delegate.told == ["Al", "Bo"])
  }

  @Test func aConvertedControllersRequestIsTheControllers() throws {
    let controller = try make("Al", "Bo", "Cy", in: Company.context())
    let people = try #require(NSFetchedResultsController<PersonMO>.converted(from: controller))
    #expect(people.fetchRequest === people.fetchRequest)
    people.fetchRequest.predicate = NSPredicate(format: "name != %@", "Bo")
    people.fetchRequest.fetchLimit = 1
    try people.performFetch()
    #expect(people.fetchedObjects?.map(\.name) == ["Al"])
    #expect(controller.fetchRequest.fetchLimit == 1)
    // The controller's own request changes the copy, which has no changes of its own.
    controller.fetchRequest.fetchLimit = 0
    try people.performFetch()
    #expect(people.fetchedObjects?.map(\.name) == ["Al", "Cy"])
    #expect(people.fetchRequest.fetchLimit == 0)
    people.fetchRequest.predicate = nil
    try controller.performFetch()
    #expect(people.fetchedObjects?.count == 3)
  }
}
