import CoreData

/// A typical data layer: a lazy container, a main queue context, background imports, and requests with predicates.
final class NoteBook: @unchecked Sendable {
  private let storeURL: URL

  init(storeURL: URL) { self.storeURL = storeURL }

  lazy var storeContainer: NSPersistentContainer = {
    let container = NSPersistentContainer(name: "Notes")
    let description = NSPersistentStoreDescription(url: storeURL)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { storeDescription, error in
      if let error = error as NSError? { print("Unresolved error \(error), \(error.userInfo)") }
    }
    container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    return container
  }()

  lazy var managedContext: NSManagedObjectContext = storeContainer.viewContext

  func saveContext() {
    guard managedContext.hasChanges else { return }
    do {
      try managedContext.save()
    } catch let error as NSError {
      print("Unresolved error \(error), \(error.userInfo)")
    }
  }

  // MARK: Folders and notes

  func folder(named name: String) throws -> Folder {
    let request: NSFetchRequest<Folder> = Folder.fetchRequest()
    request.predicate = NSPredicate(format: "%K == %@", "name", name)
    request.fetchLimit = 1
    if let found = try managedContext.fetch(request).first { return found }
    let folder = Folder(context: managedContext)
    folder.name = name
    return folder
  }

  func addNote(_ title: String, rating: Int16, to folder: Folder) -> Note {
    let note = Note(context: managedContext)
    note.title = title
    note.rating = rating
    note.created = Date()
    folder.addToNotes(note)
    return note
  }

  func notes(matching text: String) throws -> [Note] {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.predicate = NSCompoundPredicate(
      orPredicateWithSubpredicates: [
        NSPredicate(format: "title CONTAINS[cd] %@", text),
        NSPredicate(format: "ANY labels.name ==[c] %@", text),
      ])
    request.sortDescriptors = [
      NSSortDescriptor(keyPath: \Note.rating, ascending: false),
      NSSortDescriptor(
        key: "title", ascending: true, selector: .localizedStandardCompare),
    ]
    request.relationshipKeyPathsForPrefetching = ["labels"]
    return try managedContext.fetch(request)
  }

  // MARK: Numbers

  func averageRating(in folder: Folder) throws -> Double {
    let average = NSExpressionDescription()
    average.name = "averageRating"
    average.expression = NSExpression(
      forFunction: "average:", arguments: [NSExpression(forKeyPath: \Note.rating)])
    average.expressionResultType = .doubleAttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Note")
    request.resultType = .dictionaryResultType
    request.predicate = NSPredicate(format: "folder == %@", folder)
    request.propertiesToFetch = [average]
    return try managedContext.fetch(request).first?["averageRating"] as? Double ?? 0
  }

  // MARK: In the background

  func importNotes(_ titles: [String]) async throws -> Int {
    try await storeContainer.performBackgroundTask { context in
      context.transactionAuthor = "import"
      var index = 0
      let request = NSBatchInsertRequest(entityName: "Note") { (object: NSManagedObject) -> Bool in
        guard index < titles.count else { return true }
        (object as? Note)?.title = titles[index]
        index += 1
        return false
      }
      request.resultType = .count
      let result = try context.execute(request) as? NSBatchInsertResult
      return result?.result as? Int ?? 0
    }
  }

  func deleteNotes(ratedBelow rating: Int) throws {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Note")
    request.predicate = NSPredicate(format: "rating < %d", rating)
    let deletion = NSBatchDeleteRequest(fetchRequest: request)
    deletion.resultType = .resultTypeObjectIDs
    let result = try managedContext.execute(deletion) as? NSBatchDeleteResult
    guard let ids = result?.result as? [NSManagedObjectID] else { return }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [managedContext])
  }

  /// Merges what other writers have done since the token into the main context.
  func mergeHistory(since token: NSPersistentHistoryToken?) async throws
    -> NSPersistentHistoryToken?
  {
    let context = storeContainer.newBackgroundContext()
    let transactions = try await context.perform {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      if let fetch = NSPersistentHistoryTransaction.fetchRequest {
        fetch.predicate = NSPredicate(format: "%K != %@", "author", "app")
        request.fetchRequest = fetch
      }
      let result = try context.execute(request) as? NSPersistentHistoryResult
      return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }
    let main = storeContainer.viewContext
    await main.perform {
      for transaction in transactions {
        main.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      }
    }
    return transactions.last?.token
  }
}
