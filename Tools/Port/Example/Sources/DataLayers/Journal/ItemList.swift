import CoreData
import Foundation

/// The contents of the item list and its actions.
final class ItemList: NSObject, NSFetchedResultsControllerDelegate {
  private let viewContext: NSManagedObjectContext
  private let controller: NSFetchedResultsController<Item>
  private(set) var items: [Item] = []
  var onChange: (() -> Void)?

  init(context: NSManagedObjectContext) {
    viewContext = context
    let request: NSFetchRequest<Item> = Item.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.timestamp, ascending: true)]
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    super.init()
    controller.delegate = self
    do {
      try controller.performFetch()
      items = controller.fetchedObjects ?? []
    } catch {
      print("The items couldn't be fetched: \(error.localizedDescription)")
    }
  }

  func addItem(at date: Date) {
    let newItem = Item(context: viewContext)
    newItem.timestamp = date
    save()
  }

  func deleteItems(offsets: IndexSet) {
    offsets.map { items[$0] }.forEach(viewContext.delete)
    save()
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    items = (controller.fetchedObjects as? [Item]) ?? []
    onChange?()
  }

  private func save() {
    guard viewContext.hasChanges else { return }
    do {
      try viewContext.save()
    } catch {
      let nsError = error as NSError
      fatalError("Unresolved error \(nsError), \(nsError.userInfo)")
    }
  }
}
