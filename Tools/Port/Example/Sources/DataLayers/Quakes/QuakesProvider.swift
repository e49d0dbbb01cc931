import CoreData

enum QuakeError: Error {
  case wrongDataFormat(error: Error)
  case batchInsertError
  case batchDeleteError
  case persistentHistoryChangeError
}

/// Imports a feed in batches and follows the store's history.
final class QuakesProvider {
  private let storeURL: URL
  private var notificationToken: NSObjectProtocol?
  private var lastToken: NSPersistentHistoryToken?

  lazy var container: NSPersistentContainer = {
    let container = NSPersistentContainer(name: "DataLayers")
    let description = NSPersistentStoreDescription(url: storeURL)
    description.setOption(
      true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in
      if let error = error as NSError? { fatalError("\(error), \(error.userInfo)") }
    }
    container.viewContext.automaticallyMergesChangesFromParent = false
    container.viewContext.name = "viewContext"
    container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    container.viewContext.undoManager = nil
    container.viewContext.shouldDeleteInaccessibleFaults = true
    return container
  }()

  private(set) var remoteChanges = 0

  init(storeURL: URL) {
    self.storeURL = storeURL
    notificationToken = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
    ) { [weak self] note in
      guard (note.userInfo?[NSPersistentStoreURLKey] as? URL) == self?.storeURL else { return }
      self?.remoteChanges += 1
    }
  }

  deinit {
    if let observer = notificationToken { NotificationCenter.default.removeObserver(observer) }
  }

  private func newTaskContext() -> NSManagedObjectContext {
    let taskContext = container.newBackgroundContext()
    taskContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    taskContext.undoManager = nil
    return taskContext
  }

  func importFeed(_ data: Data) async throws {
    let quakes: [QuakeProperties]
    do {
      quakes = try JSONDecoder().decode(GeoJSON.self, from: data).quakes
    } catch {
      throw QuakeError.wrongDataFormat(error: error)
    }
    guard !quakes.isEmpty else { return }
    let taskContext = newTaskContext()
    taskContext.name = "importContext"
    taskContext.transactionAuthor = "importQuakes"
    try await taskContext.perform {
      let batchInsertRequest = self.newBatchInsertRequest(with: quakes)
      if let fetchResult = try? taskContext.execute(batchInsertRequest),
        let batchInsertResult = fetchResult as? NSBatchInsertResult,
        let success = batchInsertResult.result as? Bool, success
      {
        return
      }
      throw QuakeError.batchInsertError
    }
  }

  private func newBatchInsertRequest(with quakes: [QuakeProperties]) -> NSBatchInsertRequest {
    var index = 0
    let total = quakes.count
    return NSBatchInsertRequest(
      entity: Quake.entity(),
      dictionaryHandler: { dictionary in
        guard index < total else { return true }
        dictionary.addEntries(from: quakes[index].dictionaryValue)
        index += 1
        return false
      })
  }

  func deleteQuakes(identifiedBy objectIDs: [NSManagedObjectID]) async throws {
    let taskContext = newTaskContext()
    taskContext.name = "deleteContext"
    taskContext.transactionAuthor = "deleteQuakes"
    try await taskContext.perform {
      let batchDeleteRequest = NSBatchDeleteRequest(objectIDs: objectIDs)
      guard let fetchResult = try? taskContext.execute(batchDeleteRequest),
        let batchDeleteResult = fetchResult as? NSBatchDeleteResult,
        let success = batchDeleteResult.result as? Bool, success
      else { throw QuakeError.batchDeleteError }
    }
  }

  /// Merges what others have written since the last call into the view context.
  @discardableResult
  func fetchPersistentHistory() async throws -> [String] {
    let taskContext = newTaskContext()
    taskContext.name = "persistentHistoryContext"
    let history = try await taskContext.perform { [lastToken] in
      let changeRequest = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
      let historyResult = try taskContext.execute(changeRequest) as? NSPersistentHistoryResult
      guard let history = historyResult?.result as? [NSPersistentHistoryTransaction] else {
        throw QuakeError.persistentHistoryChangeError
      }
      return history
    }
    let viewContext = container.viewContext
    await viewContext.perform {
      for transaction in history {
        viewContext.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        self.lastToken = transaction.token
      }
    }
    return history.compactMap(\.author)
  }

  /// Deletes history that all its readers have seen.
  func purgeHistory() async throws {
    let taskContext = newTaskContext()
    try await taskContext.perform { [lastToken] in
      _ = try taskContext.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: lastToken))
    }
  }
}
