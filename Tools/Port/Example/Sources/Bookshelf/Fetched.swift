import CoreData

/// A property that holds the results of a fetch request.
@propertyWrapper
@MainActor
struct Fetched<Model: Entity> {
  private let controller: NSFetchedResultsController<Model>

  init(_ request: NSFetchRequest<Model>, in context: NSManagedObjectContext) {
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    try? controller.performFetch()
  }

  var wrappedValue: [Model] { controller.fetchedObjects ?? [] }
  var projectedValue: NSFetchedResultsController<Model> { controller }
}
