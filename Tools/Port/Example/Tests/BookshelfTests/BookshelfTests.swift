import CoreData
import Foundation
import Observation
import Testing

@testable import Bookshelf

@MainActor
@Suite(.serialized)
struct BookshelfTests {
  func container() async throws -> BookshelfContainer {
    let container = BookshelfContainer(inMemory: true)
    try await container.load()
    return container
  }

  @Test func repositories() async throws {
    let container = try await container()
    let authors = Repository<Author>(container: container)
    let books = Repository<Book>(container: container)
    let id = try await authors.insert { $0.name = "Émile" }
    _ = try await authors.insert { $0.name = "Anna" }
    #expect(try await authors.values(of: \.name) == ["Anna", "Émile"])
    let author = try #require(try container.viewContext.existingObject(with: id) as? Author)
    #expect(author.searchName == "emile")
    #expect(author.bookCount == 0)
    let book = Book(context: container.viewContext)
    book.title = "Germinal"
    book.author = author
    book.size = ["height": 20.5, "width": 12.0]
    book.colour = Colour(red: 1, green: 0.5)
    #expect(book.pages == nil)
    #expect(book.price == 0)
    for number in 1...3 {
      let chapter = Chapter(context: container.viewContext)
      chapter.number = Int16(number)
      chapter.title = "Chapter \(number)"
      book.addToChapters(chapter)
    }
    try container.viewContext.save()
    #expect(author.bookCount == 1)
    #expect(book.updatedAt != nil)
    #expect(book.chapterTitles == ["Chapter 1", "Chapter 2", "Chapter 3"])
    container.viewContext.refreshAllObjects()
    #expect(book.height == 20.5)
    #expect(book.colour == Colour(red: 1, green: 0.5))
    let tall = Book.all(NSPredicate(format: "size.height > %@", 20 as NSNumber), sortedBy: \.title)
    #expect(try container.viewContext.count(for: tall) == 1)
    #expect(try await books.values(of: \.title) == ["Germinal"])
    try await authors.delete(id)
    #expect(try await books.values(of: \.title).isEmpty)
  }

  @Test func viewModels() async throws {
    let container = try await container()
    let model = AuthorsModel(context: container.viewContext)
    #expect(model.authors.isEmpty)
    var changes = 0
    withObservationTracking {
      _ = model.authors
    } onChange: {
      MainActor.assumeIsolated { changes += 1 }
    }
    let author = Author(context: container.viewContext)
    author.name = "Zadie"
    try container.viewContext.save()
    #expect(model.authors.map(\.name) == ["Zadie"])
    #expect(model.updates >= 1)
    #expect(changes == 1)
    let repository = Repository<Author>(container: container)
    #expect(
      try await repository.batchInsert([
        ["id": UUID(), "name": "Bea"], ["id": UUID(), "name": "Cleo"],
      ]) == 2)
    #expect(model.authors.map(\.name) == ["Bea", "Cleo", "Zadie"])
    #expect(try await repository.batchUpdate(["name": "Bee"], where: "name == 'Bea'") == 1)
    try model.search("bee")
    #expect(model.authors.count == 1)
    container.viewContext.refreshAllObjects()
    #expect(model.authors.first?.name == "Bee")
  }

  @Test func importing() async throws {
    let container = try await container()
    let importer = Importer()
    var summaries: [String] = []
    let token = importer.observe(\.summary, options: [.initial, .new]) { _, change in
      summaries.append(change.newValue ?? "")
    }
    let json =
      #"[{"id": "6F1B6E0C-8C0B-4B7D-9B5C-2B1B0D7C6E11", "name": "Ursula", "books": [{"title": "B", "pages": 3}, {"title": "A"}]}]"#
    try importer.run(Data(json.utf8), into: container.viewContext)
    #expect(importer.heard == [1])
    #expect(importer.log == [true, false])
    #expect(summaries == ["0 imported", "1 imported"])
    token.invalidate()
    let author = try #require(try container.viewContext.fetch(Author.fetchRequest()).first)
    #expect(author.books?.count == 2)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(
      String(decoding: try encoder.encode(author), as: UTF8.self)
        == #"{"books":[{"title":"A"},{"pages":3,"title":"B"}],"id":"6F1B6E0C-8C0B-4B7D-9B5C-2B1B0D7C6E11","name":"Ursula"}"#
    )
    // Importing the same identifier again doesn't create a second author, because of the uniqueness constraint.
    try importer.run(
      Data(#"[{"id": "6F1B6E0C-8C0B-4B7D-9B5C-2B1B0D7C6E11", "name": "Ursula K."}]"#.utf8),
      into: container.viewContext)
    let again = try container.viewContext.fetch(Author.all(nil, sortedBy: \.name))
    #expect(again.map(\.name) == ["Ursula K."])
  }

  @Test func wrappersAndHistory() async throws {
    let container = try await container()
    container.viewContext.transactionAuthor = "app"
    let tracker = HistoryTracker(container: container)
    @Fetched(Author.all(nil, sortedBy: \.name), in: container.viewContext) var authors: [Author]
    #expect(authors.isEmpty)
    let author = Author(context: container.viewContext)
    author.name = "Iris"
    try container.viewContext.save()
    author.name = "Iris M."
    try container.viewContext.save()
    #expect(try $authors.managedObjectContext.count(for: Author.fetchRequest()) == 1)
    try $authors.performFetch()
    #expect(authors.first?.name == "Iris M.")
    container.viewContext.delete(author)
    try container.viewContext.save()
    try tracker.process()
    #expect(
      tracker.seen == ["insert Author by app", "update Author by app", "delete Author by app"])
  }

  @Test func builders() throws {
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: Note.model)
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    ]
    container.loadPersistentStores { #expect($1 == nil) }
    let note = Note(context: container.viewContext)
    #expect(note.priority == 3)
    note.tags = ["a", "b"]
    note.rating = 4.5
    try container.viewContext.save()
    container.viewContext.reset()
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.predicate = NSPredicate(#Predicate<Note> { $0.priority > 2 })
    let found = try container.viewContext.fetch(request)
    #expect(found.first?.tags == ["a", "b"])
    #expect(found.first?.rating == 4.5)
    #expect(found.first?.due == nil)
  }

  @Test func stages() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "Notes.sqlite")
    let first = NSPersistentContainer(name: "Notes", managedObjectModel: Note.model)
    first.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    first.loadPersistentStores { #expect($1 == nil) }
    Note(context: first.viewContext).text = "hello"
    try first.viewContext.save()
    try first.persistentStoreCoordinator.persistentStores.forEach(
      first.persistentStoreCoordinator.remove)
    let second = Note.model.copy() as! NSManagedObjectModel
    let length = NSAttributeDescription()
    (length.name, length.type, length.isOptional) = ("length", .integer32, true)
    second.entities[0].properties.append(length)
    second.entities[0].managedObjectClassName = "NSManagedObject"
    let stage = NSCustomMigrationStage(
      migratingFrom: NSManagedObjectModelReference(
        model: Note.model, versionChecksum: Note.model.versionChecksum),
      to: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum))
    stage.label = "length"
    stage.didMigrateHandler = { manager, _ in
      guard let container = manager.container else { return }
      let context = container.newBackgroundContext()
      try context.performAndWait {
        for note in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")) {
          note.setValue((note.value(forKey: "text") as? String)?.count, forKey: "length")
        }
        try context.save()
      }
    }
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: second)
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(
      NSStagedMigrationManager([stage]), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { #expect($1 == nil) }
    let notes = try container.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    #expect(notes.first?.value(forKey: "length") as? Int == 5)
  }

  @Test func operations() async throws {
    final class Refusing: NSObject, ContextOperationDelegate {
      func operationShouldSave(_ operation: ContextOperation) -> Bool { false }
    }
    final class Counting: NSObject, ContextOperationDelegate {
      var count = 0
      func operationDidSave(_ operation: ContextOperation, inserted count: Int) {
        self.count = count
      }
    }
    let container = try await container()
    let work = { (context: NSManagedObjectContext) in
      try Author(context: context).take(["name": Author.displayName])
    }
    let (kept, refused) = (
      ContextOperation(container, work: work), ContextOperation(container, work: work)
    )
    let failing = ContextOperation(container) { try Author(context: $0).take([:]) }
    let (counting, refusing, last) = (Counting(), Refusing(), BlockOperation())
    (kept.delegate, refused.delegate) = (counting, refusing)
    for operation in [kept, refused, failing] { last.addDependency(operation) }
    let queue = OperationQueue()
    await withCheckedContinuation { continuation in
      last.addExecutionBlock { continuation.resume() }
      queue.addOperations([kept, refused, failing, last], waitUntilFinished: false)
    }
    #expect(counting.count == 1)
    #expect((failing.error as? CocoaError)?.code == .validationMissingMandatoryProperty)
    #expect(Book.displayName == "Book")
    let names = try container.viewContext.fetch(Author.all(nil, sortedBy: \.name)).map(\.name)
    #expect(names == ["Writer"])
  }
}
