import Foundation
import MomKit

/// The end of a main queue event.
extension MainQueueTrials {
  static func turns(_ run: TrialRun) throws {
    let told = Counter()
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, run.view) { notification in
      told.add()
      let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
      if told.value == 1 { run.expect(inserted?.count == 2, "two insertions are one event") }
    }
    let ada = run.view.person("Ada")
    run.view.person("Bo")
    run.expect(told.value == 0, "changes aren't told of at once")
    run.turn { told.value > 0 }
    run.expect(told.value == 1, "but when the turn ends")
    try run.view.save()
    ada.setValue("Cy", forKey: "name")
    run.turn { told.value > 1 }
    run.expect(told.value == 2, "an update as well")
    run.view.delete(ada)
    run.turn { told.value > 2 }
    run.expect(told.value == 3, "and a deletion")
    run.view.rollback()
    run.view.refresh(ada, mergeChanges: true)
    run.turn { told.value > 4 }
    run.expect(told.value == 5, "and a refresh: \(told.value)")
    run.view.person("Di")
    try run.view.save()
    RunLoop.main.run(until: Date() + 0.05)
    run.expect(told.value == 6, "what a save told of isn't told of again")
    withExtendedLifetime(listener) {}
  }

  static func undoByTurns(_ run: TrialRun) throws {
    run.view.undoManager = UndoManager()
    let told = Counter()
    let listener = Listener(.NSManagedObjectContextObjectsDidChange, run.view) { _ in told.add() }
    for name in ["Ada", "Bo"] {
      let before = told.value
      run.view.person(name)
      run.turn { told.value > before }
    }
    run.view.undo()
    run.expect(try run.view.names() == ["Ada"], "an undo takes one turn's changes back")
    run.view.undo()
    run.expect(try run.view.names() == [], "and the next one those of the turn before")
    withExtendedLifetime(listener) {}
  }

  static func controllerByTurns(_ run: TrialRun) throws {
    let (controller, delegate) = try follow(run)
    let ada = run.view.person("Ada")
    run.turn { delegate.count > 0 }
    run.expect(controller.fetchedObjects?.count == 1, "a controller follows without a save")
    try run.view.save()
    run.view.delete(ada)
    run.turn { controller.fetchedObjects?.isEmpty == true }
    run.expect(controller.fetchedObjects?.isEmpty == true, "a deletion too")
    run.view.rollback()
    run.expect(controller.fetchedObjects?.first === ada, "and its being taken back")
  }

  /// Several background contexts save while the main thread reads.
  static func merging(_ run: TrialRun) throws {
    run.view.automaticallyMergesChangesFromParent = true
    let (controller, delegate) = try follow(run)
    let (threads, saves) = (4, 25)
    let done = Counter()
    for thread in 0..<threads {
      Thread.detachNewThread {
        let context = run.container.newBackgroundContext()
        for number in 0..<saves {
          context.performAndWait {
            context.person("\(thread).\(number)")
            do { try context.save() } catch { run.expect(false, "\(error)") }
          }
          if number % 5 == 0 {
            let child = run.child(of: run.view)
            child.performAndWait {
              if (try? child.names()) == nil { run.expect(false, "a child fetches") }
            }
          }
        }
        done.add()
      }
    }
    let all = threads * saves
    run.turn { done.value == threads && controller.fetchedObjects?.count == all }
    run.expect(controller.fetchedObjects?.count == all, "every saved object reaches the controller")
    run.expect(delegate.count > 0 && !run.view.hasChanges, "which tells of them")
  }

  private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
    var count = 0
    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      count += 1
    }
  }

  private static func follow(
    _ run: TrialRun
  ) throws -> (NSFetchedResultsController<NSManagedObject>, Delegate) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: run.view, sectionNameKeyPath: nil,
      cacheName: nil)
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    return (controller, delegate)
  }
}
