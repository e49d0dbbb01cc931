import DataModels
import Foundation
import PredicateFormat
import Testing

@testable import ManagedObjects

/// Fetched results controllers, and context events other than plain changes.
@Suite struct FollowingTests {
  private final class Delegate: NSFetchedResultsControllerDelegate {
    private var types: [NSFetchedResultsChangeType] = []
    func take() -> [NSFetchedResultsChangeType] {
      defer { types = [] }
      return types
    }
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) { types.append(type) }
  }

  private func controller(
    _ context: NSManagedObjectContext, _ format: String? = nil, delegate: Delegate
  ) throws -> NSFetchedResultsController<PersonMO> {
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    controller.delegate = delegate
    try controller.performFetch()
    return controller
  }

  private func person(_ name: String, _ context: NSManagedObjectContext) -> PersonMO {
    let person = insert(PersonMO.self, "Person", context)
    person.name = name
    return person
  }

  private func names(_ controller: NSFetchedResultsController<PersonMO>) -> [String?] {
    controller.fetchedObjects?.map(\.name) ?? []
  }

  @Test func rollbackBringsTheResultsBack() throws {
    let context = try Company.context()
    let kept = person("kept", context)
    let gone = person("gone", context)
    try context.save()
    let delegate = Delegate()
    let controller = try controller(context, delegate: delegate)
    _ = person("new", context)
    kept.name = "a"
    context.delete(gone)
    context.processPendingChanges()
    #expect(names(controller) == ["a", "new"])
    _ = delegate.take()
    context.rollback()
    #expect(names(controller) == ["gone", "kept"])
    #expect(controller.fetchedObjects?.allSatisfy { $0.managedObjectContext === context } == true)
    #expect(delegate.take().count == 3)
  }

  @Test(arguments: [false, true])
  func whatIsntInsertedAnyMoreLeavesTheResults(wasTold: Bool) throws {
    let context = try Company.context()
    let delegate = Delegate()
    let controller = try controller(context, delegate: delegate)
    let new = person("new", context)
    if wasTold { context.processPendingChanges() }
    context.refresh(new, mergeChanges: false)
    context.processPendingChanges()
    #expect(names(controller) == [])
    #expect(delegate.take() == (wasTold ? [.insert, .delete] : []))
  }

  @Test func undoAndRedoReachTheResults() throws {
    let context = try Company.context()
    let undoManager = UndoManager()
    undoManager.groupsByEvent = false
    context.undoManager = undoManager
    let delegate = Delegate()
    let controller = try controller(context, "name != 'z'", delegate: delegate)
    let first = person("a", context)
    context.processPendingChanges()
    first.name = "z"
    context.processPendingChanges()
    #expect(names(controller) == [])
    context.undo()
    #expect(names(controller) == ["a"])
    context.delete(first)
    context.processPendingChanges()
    context.undo()
    #expect(names(controller) == ["a"])
    context.undo()
    #expect(names(controller) == [])
    context.redo()
    #expect(names(controller) == ["a"])
  }

  /// As in Core Data's documentation of controllers: it reports no object, and the program must call
  /// `performFetch()`.
  @Test func afterAResetNothingIsToldUntilTheNextFetch() throws {
    let context = try Company.context()
    for name in ["a", "b"] { _ = person(name, context) }
    try context.save()
    let delegate = Delegate()
    let controller = try controller(context, delegate: delegate)
    _ = person("c", context)
    context.processPendingChanges()
    let before = controller.fetchedObjects ?? []
    _ = delegate.take()
    context.reset()
    #expect(controller.fetchedObjects == before)
    #expect(controller.fetchedObjects?.allSatisfy { $0.managedObjectContext == nil } == true)
    _ = person("d", context)
    try context.save()
    #expect(controller.fetchedObjects == before)
    #expect(controller.indexPath(forObject: before[0]) == [0, 0])
    #expect(delegate.take().isEmpty)
    try controller.performFetch()
    #expect(names(controller) == ["a", "b", "d"])
    #expect(controller.fetchedObjects?.first !== before.first)
    #expect(delegate.take().isEmpty)
    _ = person("e", context)
    context.processPendingChanges()
    #expect(names(controller) == ["a", "b", "d", "e"])
    #expect(delegate.take() == [.insert])
  }

  @Test func withoutAnOrderNewObjectsComeLast() throws {
    let context = try Company.context()
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    request.sortDescriptors = []
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    for name in ["c", "a", "b"] {
      _ = person(name, context)
      context.processPendingChanges()
    }
    #expect(names(controller) == ["c", "a", "b"])
  }

  /// In memory, where changed objects are compared, objects and their IDs mean the same as in SQL.
  @Test(
    arguments: ["SELF == %@", "SELF IN %@", "objectID IN %@", "employer == %@"], [false, true])
  func whatItsIdentityPicksStaysWhenRenamed(format: String, isByID: Bool) throws {
    let context = try Company.context()
    let (one, other) = (person("a", context), person("b", context))
    let acme = insert(CompanyMO.self, "Company", context)
    acme.name = "Acme"
    one.employer = acme
    try context.save()
    let object: NSManagedObject = format.hasPrefix("employer") ? acme : one
    let constant: NSObject = isByID ? object.objectID : object
    let argument: Any = format.contains(" IN ") ? [constant] as Any : constant as Any
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    request.predicate = NSPredicate(format: format, argumentArray: [argument])
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    #expect(names(controller) == ["a"])
    (one.name, other.name) = ("c", "d")
    context.processPendingChanges()
    #expect(names(controller) == ["c"])
    #expect(delegate.take().count == 1)
  }
}
