import Foundation
import MomKit

/// Receives changes one by one, as lists do.
private final class Listener: NSFetchedResultsControllerDelegate {
  var told = 0

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { told += 1 }
}

extension GrowthCase {
  /// Fetched results controllers.
  static var controllers: [GrowthCase] {
    [
      changing("S11", "one change in a controller of n", section: nil),
      changing("S11", "one change, with sections", section: "city"),
      GrowthCase("S12", "merge of n updates into a controller", sizes: usual) { store, count in
        store.fillPeople(count)
        let raw = store.raw()
        return timed {
          raw.forEach(count, "\(columns) WHERE Z_PK = ?", inTransaction: false) {
            $0.bind($1 + 1, 1)
          }
        }
      } objects: { store, count in
        store.fillPeople(count)
        let (context, writer) = (store.context(), store.context())
        let (controller, listener) = try controller(context, section: nil)
        for person in try writer.people() { person.age += 1 }
        let updated = writer.updatedObjects.map(\.objectID)
        try writer.save()
        return withExtendedLifetime((controller, listener)) {
          timed {
            NSManagedObjectContext.mergeChanges(
              fromRemoteContextSave: [NSUpdatedObjectsKey: updated], into: [context])
          }
        }
      },
    ]
  }

  private static func changing(_ number: String, _ work: String, section: String?) -> GrowthCase {
    GrowthCase(number, work, .each, sizes: usual) { store, count in
      store.fillPeople(count)
      let context = store.context()
      let (controller, listener) = try controller(context, section: section)
      let people = controller.fetchedObjects ?? []
      // The first change builds what the others use.
      people[0].age += 1
      context.processPendingChanges()
      let time = timed(each: 20) { step in
        let person = people[(step &* 7_919) % people.count]
        person.name += step % 2 == 0 ? "a" : ""
        person.age += 1
        context.processPendingChanges()
      }
      precondition(listener.told == 21, "\(listener.told) of 21 changes were told")
      return time
    }
  }

  private static func controller(
    _ context: NSManagedObjectContext, section: String?
  ) throws -> (NSFetchedResultsController<Person>, Listener) {
    let request = NSFetchRequest<Person>(entityName: "Person")
    request.sortDescriptors = (section.map { [$0] } ?? []).map {
      NSSortDescriptor(key: $0, ascending: true)
    }
    request.sortDescriptors?.append(NSSortDescriptor(key: "name", ascending: true))
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
      cacheName: nil)
    let listener = Listener()
    controller.delegate = listener
    try controller.performFetch()
    return (controller, listener)
  }
}
