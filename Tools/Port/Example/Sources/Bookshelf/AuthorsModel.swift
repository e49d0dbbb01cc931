import CoreData
import Foundation
import Observation
import os

#if canImport(UIKit)
  import UIKit
#endif

@MainActor
@Observable
final class AuthorsModel: NSObject {
  private(set) var authors: [Author] = []
  private(set) var updates = 0
  @ObservationIgnored private let controller: NSFetchedResultsController<Author>
  @ObservationIgnored private let logger = Logger(
    subsystem: "org.example.Bookshelf", category: "AuthorsModel")
  #if canImport(UIKit)
    @ObservationIgnored var dataSource: UITableViewDiffableDataSource<String, NSManagedObjectID>?
  #endif

  init(context: NSManagedObjectContext) {
    let request = Author.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Author.name, ascending: true)]
    request.fetchBatchSize = 20
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context,
      sectionNameKeyPath: #keyPath(Author.searchName), cacheName: nil)
    super.init()
    controller.delegate = self
    do { try controller.performFetch() } catch {
      logger.error("fetch failed: \(error.localizedDescription, privacy: .public)")
    }
    authors = controller.fetchedObjects ?? []
  }

  func search(_ text: String) throws {
    controller.fetchRequest.predicate =
      text.isEmpty ? nil : NSPredicate(format: "%K CONTAINS[cd] %@", #keyPath(Author.name), text)
    try controller.performFetch()
    authors = controller.fetchedObjects ?? []
  }
}

extension AuthorsModel: @preconcurrency NSFetchedResultsControllerDelegate {
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    authors = controller.fetchedObjects as? [Author] ?? []
    updates += 1
  }
  #if canImport(UIKit)
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
      dataSource?.apply(snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>)
    }
  #endif
}
