import CoreData

/// The stack of a new Xcode project: one store for the program, and one in memory for previews.
struct PersistenceController {
  @MainActor static let shared = PersistenceController()

  @MainActor static let preview: PersistenceController = {
    let controller = PersistenceController(inMemory: true)
    let context = controller.container.viewContext
    for hour in 0..<10 {
      let entry = Entry(context: context)
      entry.timestamp = Date(timeIntervalSinceReferenceDate: Double(hour) * 3600)
    }
    do {
      try context.save()
    } catch {
      let error = error as NSError
      fatalError("Unresolved error \(error), \(error.userInfo)")
    }
    return controller
  }()

  let container: NSPersistentContainer

  init(inMemory: Bool = false) {
    container = NSPersistentContainer(name: "Notes")
    if inMemory {
      container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
    }
    container.loadPersistentStores { _, error in
      if let error = error as NSError? {
        fatalError("Unresolved error \(error), \(error.userInfo)")
      }
    }
    container.viewContext.automaticallyMergesChangesFromParent = true
  }
}

/// The actions of the template's view, without the view: list, add and remove.
@MainActor
final class EntryList: NSObject, NSFetchedResultsControllerDelegate {
  private(set) var entries: [Entry] = []
  private(set) var updateCount = 0
  private let context: NSManagedObjectContext
  private let controller: NSFetchedResultsController<Entry>

  init(context: NSManagedObjectContext) throws {
    self.context = context
    let request: NSFetchRequest<Entry> = Entry.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Entry.timestamp, ascending: true)]
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    super.init()
    controller.delegate = self
    try controller.performFetch()
    entries = controller.fetchedObjects ?? []
  }

  func addItem(at date: Date) throws {
    let entry = Entry(context: context)
    entry.timestamp = date
    try context.save()
  }

  func deleteItems(offsets: IndexSet) throws {
    offsets.map { entries[$0] }.forEach(context.delete)
    try context.save()
  }

  nonisolated func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    MainActor.assumeIsolated {
      entries = self.controller.fetchedObjects ?? []
      updateCount += 1
    }
  }
}
