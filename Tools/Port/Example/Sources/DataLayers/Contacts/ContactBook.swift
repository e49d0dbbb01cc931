import CoreData

/// The data source of a table of contacts with sections.
final class ContactBook: NSObject {
  private let fetchedResultsController: NSFetchedResultsController<Contact>
  private(set) var changes: [String] = []

  init(context: NSManagedObjectContext) {
    let request: NSFetchRequest<Contact> = Contact.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(key: #keyPath(Contact.team), ascending: true),
      NSSortDescriptor(
        key: #keyPath(Contact.name), ascending: true,
        selector: #selector(NSString.localizedCaseInsensitiveCompare(_:))),
    ]
    request.fetchBatchSize = 20
    fetchedResultsController = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context,
      sectionNameKeyPath: #keyPath(Contact.team), cacheName: nil)
    super.init()
    fetchedResultsController.delegate = self
    try? fetchedResultsController.performFetch()
  }

  var sectionTitles: [String] { fetchedResultsController.sections?.map(\.name) ?? [] }

  func numberOfRows(inSection section: Int) -> Int {
    guard let sections = fetchedResultsController.sections else { return 0 }
    return sections[section].numberOfObjects
  }

  func contact(at indexPath: IndexPath) -> Contact {
    fetchedResultsController.object(at: indexPath)
  }

  func indexPath(of contact: Contact) -> IndexPath? {
    fetchedResultsController.indexPath(forObject: contact)
  }
}

extension ContactBook: NSFetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    changes = []
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange sectionInfo: NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    changes.append("section \(sectionIndex) \(type == .insert ? "came" : "went")")
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    switch type {
    case .insert: changes.append("inserted \(text(newIndexPath))")
    case .delete: changes.append("deleted \(text(indexPath))")
    case .update: changes.append("updated \(text(indexPath))")
    case .move: changes.append("moved \(text(indexPath)) to \(text(newIndexPath))")
    @unknown default: break
    }
  }

  private func text(_ path: IndexPath?) -> String {
    path.map { "\($0.section).\($0.row)" } ?? "nowhere"
  }
}
