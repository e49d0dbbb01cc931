import CoreData
import Foundation

final class BookshelfContainer: NSPersistentContainer, @unchecked Sendable {
  static let model: NSManagedObjectModel = {
    guard let url = Bundle.module.url(forResource: "Bookshelf", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { fatalError("no model") }
    return model
  }()

  override class func defaultDirectoryURL() -> URL {
    super.defaultDirectoryURL().appending(path: "Bookshelf", directoryHint: .isDirectory)
  }

  init(inMemory: Bool = false, url: URL? = nil) {
    ColourTransformer.register()
    super.init(name: "Bookshelf", managedObjectModel: Self.model)
    guard let description = persistentStoreDescriptions.first else { preconditionFailure() }
    if inMemory {
      description.url = URL(filePath: "/dev/null")
    } else if let url {
      description.url = url
    }
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
  }

  func load() async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      loadPersistentStores { _, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
    viewContext.automaticallyMergesChangesFromParent = true
    viewContext.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    viewContext.name = "view"
  }

  override func newBackgroundContext() -> NSManagedObjectContext {
    let context = super.newBackgroundContext()
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    context.transactionAuthor = "background"
    return context
  }
}
