import Foundation
import ModelEvolution
import ModelSource
import MomKit
import TestSupport
import Testing

// The examples of the articles about objects, stores, sources and versions, executed.

// MARK: Classes

final class LibraryAuthor: NSManagedObject {
  @Managed var name: String
  @Managed var books: Set<LibraryBook>
}

final class LibraryBook: NSManagedObject {
  @Managed var title: String
  @Managed var pages: Int32
  @Managed var author: LibraryAuthor?

  override func awakeFromInsert() {
    super.awakeFromInsert()
    title = "Untitled"
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    guard pages >= 0 else { throw CocoaError(.validationNumberTooSmall) }
  }
}

enum BookBinding: Int16, ManagedPropertyValue { case paper, cloth }

final class LibraryEdition: NSManagedObject {
  enum Genre: String, ManagedPropertyValue { case poem, novel }

  @Managed var binding: BookBinding  // an Integer 16
  @Managed var genre: Genre?  // a String
}

/// Authors and their books.
func libraryModel() -> NSManagedObjectModel {
  func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }
  let author = NSEntityDescription()
  author.name = "Author"
  author.managedObjectClassName = NSStringFromClass(LibraryAuthor.self)
  let book = NSEntityDescription()
  book.name = "Book"
  book.managedObjectClassName = NSStringFromClass(LibraryBook.self)

  let books = NSRelationshipDescription()
  books.name = "books"
  books.destinationEntity = book
  books.deleteRule = .cascadeDeleteRule
  let writer = NSRelationshipDescription()
  writer.name = "author"
  writer.destinationEntity = author
  writer.maxCount = 1
  books.inverseRelationship = writer
  writer.inverseRelationship = books

  author.properties = [attribute("name", .stringAttributeType), books]
  author.uniquenessConstraints = [["name"]]
  book.properties = [
    attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType), writer,
  ]
  let model = NSManagedObjectModel()
  model.entities = [author, book]
  return model
}

// MARK: OpeningAStore

/// Opens the library; the file is created if it doesn't exist.
func library(at url: URL) -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "Library", managedObjectModel: libraryModel())
  let description = NSPersistentStoreDescription(url: url)
  description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
  container.persistentStoreDescriptions = [description]
  container.loadPersistentStores { description, error in
    if let error { fatalError("\(description.url?.path ?? "the store"): \(error)") }
  }
  return container
}

/// Adds an author with a book.
func addBook(to context: NSManagedObjectContext) throws {
  let author = LibraryAuthor(context: context)
  author.name = "Astrid Lindgren"
  let book = LibraryBook(context: context)
  book.title = "Ronja"
  book.pages = 235
  book.author = author
  try context.save()
}

/// The titles of long books, in order.
func longBooks(in context: NSManagedObjectContext) throws -> [String] {
  let request = NSFetchRequest<LibraryBook>(entityName: "Book")
  request.predicate = NSPredicate(
    format: "pages > %d AND author.name BEGINSWITH[c] %@", 200, "astrid")
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  request.relationshipKeyPathsForPrefetching = ["author"]
  request.fetchBatchSize = 50
  return try context.fetch(request).map(\.title)
}

/// The number of pages by each author, added up by the store.
func pagesByAuthor(in context: NSManagedObjectContext) throws -> [NSDictionary] {
  let sum = NSExpressionDescription()
  sum.name = "sum"
  sum.expression = NSExpression(format: "@sum.pages")
  sum.expressionResultType = .integer64AttributeType
  let request = NSFetchRequest<NSDictionary>(entityName: "Book")
  request.resultType = .dictionaryResultType
  request.propertiesToGroupBy = ["author.name"]
  request.propertiesToFetch = ["author.name", sum]
  return try context.fetch(request)
}

// MARK: ContextsAndQueues

/// Counts books away from the main queue.
func countBooks(in container: NSPersistentContainer) async throws -> Int {
  try await container.performBackgroundTask { context in
    try context.count(for: NSFetchRequest<LibraryBook>(entityName: "Book"))
  }
}

/// Changes a book in a child context, which is discarded if the change isn't valid.
func rename(_ id: NSManagedObjectID, to title: String, in parent: NSManagedObjectContext) throws {
  let editing = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  editing.parent = parent
  try editing.performAndWait {
    let book = try editing.existingObject(with: id) as? LibraryBook
    book?.title = title
    try editing.save()  // into the parent
  }
  try parent.performAndWait { try parent.save() }  // into the file
}

// MARK: SolvingConflicts

/// Saves, and resolves conflicts in favor of unsaved values, property by property.
func saveOurs(_ context: NSManagedObjectContext) throws {
  context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  try context.save()
}

/// The authors whose names are taken.
func clashes(savingIn context: NSManagedObjectContext) throws -> [String] {
  do {
    try context.save()
    return []
  } catch let error as NSError where error.code == NSManagedObjectConstraintMergeError {
    let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
    return (conflicts as? [NSConstraintConflict] ?? []).map { conflict in
      "\(conflict.constraintValues["name"] ?? "")"
    }
  }
}

// MARK: FollowingChanges

/// The changes since a token, by any program.
func changes(
  since token: NSPersistentHistoryToken?, in context: NSManagedObjectContext
) throws -> (lines: [String], token: NSPersistentHistoryToken?) {
  let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
  let result = try context.execute(request) as? NSPersistentHistoryResult
  let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
  let lines = transactions.flatMap { transaction in
    (transaction.changes ?? []).map { change in
      let name = change.changedObjectID.entity.name ?? ""
      switch change.changeType {
      case .insert: return "new \(name)"
      case .delete: return "no more \(name)"
      default: return "changed \(name)"
      }
    }
  }
  return (lines, transactions.last?.token ?? token)
}

/// Keeps a list of titles up to date.
final class TitleList: NSFetchedResultsControllerDelegate {
  private(set) var titles: [String] = []
  private let controller: NSFetchedResultsController<LibraryBook>

  init(_ context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<LibraryBook>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    controller.delegate = self
    try controller.performFetch()
    titles = (controller.fetchedObjects ?? []).map(\.title)
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    titles = (self.controller.fetchedObjects ?? []).map(\.title)
  }
}

/// The number of books, after each change.
func bookCounts(in context: NSManagedObjectContext, until last: Int) async throws -> [Int] {
  let request = NSFetchRequest<LibraryBook>(entityName: "Book")
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  var counts: [Int] = []
  for try await update in context.updates(of: request) {
    counts.append(update.identities.count)
    if counts.last == last { break }
  }
  return counts
}

// MARK: MigratingStores

/// Opens a store with a newer model; it is migrated if a mapping can be inferred.
func migrate(_ url: URL, to model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: url,
    options: [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ])
  return coordinator
}

/// The reasons why a store can't be migrated by inference; empty if it can.
func obstacles(
  from old: NSManagedObjectModel, to new: NSManagedObjectModel
) -> [String] {
  let verdict = MigrationVerdict(from: old, to: new)
  guard verdict.outcome == .impossible else { return [] }
  return verdict.findings.map(\.message)
}

// MARK: ReadingAnAppsStore

/// The rows of an entity of any store that has a copy of its model, without changing the file.
func rows(of entity: String, inStoreAt url: URL) throws -> [[String: Any]] {
  guard let model = try StoreFile(at: url.path).cachedModel() else { return [] }
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: url,
    options: [NSReadOnlyPersistentStoreOption: true])
  let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  return try context.performAndWait {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    return try context.fetch(request).map { object in
      object.dictionaryWithValues(forKeys: Array(object.entity.attributesByName.keys))
    }
  }
}

/// The findings in a store, by 36 rules.
func faults(ofStoreAt url: URL) throws -> [String] {
  try StoreCheck.findings(at: url).map { "\($0)" }
}

// MARK: CompilingModels

/// Compiles a source like Xcode, and returns the warnings.
func compile(_ source: URL, to path: String) throws -> [String] {
  let output = try ModelCompiler(source: source).compile()
  try output.write(to: path)
  return output.diagnostics.map { "\($0)" }
}

/// Decompiles a model to a source, and returns what sources can't express.
func decompile(_ model: NSManagedObjectModel, to path: String) throws -> [String] {
  let output = ModelDecompiler.decompile(
    [(name: "Library", model: model)], name: "Library", isVersioned: false)
  try output.write(to: path)
  return output.losses
}

/// Writes the classes of a model's entities.
func generateClasses(of source: URL, into folder: URL) throws {
  let model = try SourceModel(contentsOf: source)
  let options = ClassGenerationOptions(selection: .all)
  for file in ClassGenerator(model, options: options).files {
    try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name))
  }
}

// MARK: MergingModels

/// Merges two people's changes to a model, or returns the contradictions.
func merge(
  _ mine: NSManagedObjectModel, _ theirs: NSManagedObjectModel, from base: NSManagedObjectModel
) throws -> (model: NSManagedObjectModel, conflicts: [String]) {
  let merge = try ModelMerge(base: base, ours: mine, theirs: theirs)
  return (merge.model, merge.conflicts.map(\.description))
}

/// The changes from one version to the next.
func differences(from old: NSManagedObjectModel, to new: NSManagedObjectModel) -> [String] {
  ModelDifference(from: old, to: new).changes.map(\.sentence)
}

// MARK: Tests

@Suite struct ObjectArticleTests {
  @Test func stores() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Library.sqlite")
    let container = library(at: url)
    let context = container.newBackgroundContext()
    let titles = try TitleListTrial(context).run()
    #expect(titles == [[], ["Ronja"], ["Mio"]])
    #expect(try await countBooks(in: container) == 1)
    #expect(try await bookCounts(in: context, until: 1) == [1])
    try context.performAndWait {
      #expect(try longBooks(in: context) == ["Mio"])
      let sums = try pagesByAuthor(in: context)
      #expect(sums.map { $0["sum"] as? Int } == [235])
      let (lines, token) = try changes(since: nil, in: context)
      #expect(lines.sorted() == ["changed Book", "new Author", "new Book"])
      #expect(try changes(since: token, in: context).lines.isEmpty)

      let twin = LibraryAuthor(context: context)
      twin.name = "Astrid Lindgren"
      #expect(try clashes(savingIn: context) == ["Astrid Lindgren"])
      try saveOurs(context)
      #expect(try context.count(for: NSFetchRequest<LibraryAuthor>(entityName: "Author")) == 1)
    }
    #expect(try rows(of: "Book", inStoreAt: url).first?["pages"] as? Int == 235)
    #expect(try faults(ofStoreAt: url) == [])
  }

  /// The contents of `TitleList` before and after.
  private struct TitleListTrial {
    let context: NSManagedObjectContext
    init(_ context: NSManagedObjectContext) { self.context = context }

    func run() throws -> [[String]] {
      try context.performAndWait {
        let list = try TitleList(context)
        var titles = [list.titles]
        try addBook(to: context)
        titles.append(list.titles)
        let book = try #require(
          try context.fetch(NSFetchRequest<LibraryBook>(entityName: "Book")).first)
        try rename(book.objectID, to: "Mio", in: context)
        context.processPendingChanges()
        return titles + [list.titles]
      }
    }
  }

  @Test func migrations() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Library.sqlite")
    let container = library(at: url)
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
    let (old, new) = (libraryModel(), libraryModel())
    let title = try #require(new.entitiesByName["Book"]?.attributesByName["title"])
    (title.name, title.renamingIdentifier) = ("headline", "title")
    #expect(obstacles(from: old, to: new) == [])
    #expect(differences(from: old, to: new).first?.contains("renamed") == true)
    #expect(try migrate(url, to: new).persistentStores.count == 1)
    let other = libraryModel()
    other.entitiesByName["Book"]?.attributesByName["pages"]?.attributeType = .dateAttributeType
    #expect(!obstacles(from: old, to: other).isEmpty)

    let merged = try merge(new, other, from: old)
    #expect(merged.conflicts == [])
    #expect(merged.model.entitiesByName["Book"]?.attributesByName["headline"] != nil)
    #expect(
      merged.model.entitiesByName["Book"]?.attributesByName["pages"]?.attributeType
        == .dateAttributeType)
  }

  @Test func sources() throws {
    let folder = try TemporaryFolder()
    let model = libraryModel()
    let source = folder.file("Library.xcdatamodel")
    #expect(try decompile(model, to: source.path) == [])
    let compiled = folder.file("Library.mom").path
    #expect(try compile(source, to: compiled) == [])
    #expect(try NSManagedObjectModel(loading: compiled) == model)
    let classes = folder.file("Classes")
    try FileManager.default.createDirectory(at: classes, withIntermediateDirectories: true)
    try generateClasses(of: source, into: classes)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: classes.path).contains {
        $0.contains("Book+CoreDataProperties")
      })
  }
}
