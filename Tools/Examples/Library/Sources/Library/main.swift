// A program whose build compiles its model and generates its classes.

import Foundation
import MomKit

func expect(_ isSo: Bool, _ what: String) {
  guard !isSo else { return print("  as it should be: \(what)") }
  print("  WRONG: \(what)")
  exit(1)
}

// The compiled model is one of the program's resources.
guard let url = Bundle.module.url(forResource: "Library", withExtension: "momd"),
  let model = NSManagedObjectModel(contentsOf: url)
else {
  print("  WRONG: the model isn't in the resources")
  exit(1)
}
expect(model.entities.compactMap(\.name).sorted() == ["Author", "Book"], "the model is loaded")

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("momkit-library-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }

func makeContext(
  _ model: NSManagedObjectModel = model, at file: String = "Library.sqlite"
) -> NSManagedObjectContext {
  let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
  container.persistentStoreDescriptions = [
    NSPersistentStoreDescription(url: folder.appendingPathComponent(file))
  ]
  container.loadPersistentStores { _, error in
    expect(error == nil, "\(file) opens")
  }
  return container.viewContext
}

do {
  print("A store of the first version is migrated by the mapping model.")
  // A name selects an older version in the bundle.
  let first = NSManagedObjectModel(contentsOf: url.appendingPathComponent("Library.mom"))
  guard let first,
    let mapping = NSMappingModel(
      from: [Bundle.module], forSourceModel: first, destinationModel: model)
  else {
    print("  WRONG: the first version or the mapping isn't in the resources")
    exit(1)
  }
  do {
    let context = makeContext(first, at: "Old.sqlite")
    for (name, title) in [("Stanisław Lem", "Solaris"), ("Anonymous", nil)] {
      let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
      author.setValue(name, forKey: "name")
      guard let title else { continue }
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue(title, forKey: "title")
      book.setValue(author, forKey: "author")
    }
    try context.save()
  }
  try NSMigrationManager(sourceModel: first, destinationModel: model).migrateStore(
    from: folder.appendingPathComponent("Old.sqlite"), type: .sqlite, mapping: mapping,
    to: folder.appendingPathComponent("New.sqlite"), type: .sqlite)
  let context = makeContext(at: "New.sqlite")
  // Objects don't retain their context.
  try withExtendedLifetime(context) {
    let authors = try context.fetch(Author.fetchRequest())
    expect(authors.map(\.name) == ["Stanisław Lem"], "an author without books is left behind")
    let books = authors.first?.books as? Set<Book>
    expect(books?.map(\.title) == ["Solaris"], "the other has kept the book")
    expect(books?.first?.shelf == nil, "which has no shelf yet")
  }
}

do {
  print("An author's books are saved.")
  let context = makeContext()
  let author = Author(context: context)
  author.name = "Ursula K. Le Guin"
  for (title, pages) in [("The Dispossessed", 341), ("The Left Hand of Darkness", 286)] {
    let book = Book(context: context)
    book.title = title
    book.pages = Int32(pages)
    author.addToBooks(book)
  }
  try context.save()
}

do {
  print("They are fetched by another run's context.")
  let context = makeContext()
  let request = Book.fetchRequest()
  request.predicate = NSPredicate(format: "author.name BEGINSWITH %@ AND pages > %d", "Ursula", 300)
  let found = try context.fetch(request)
  expect(found.map(\.title) == ["The Dispossessed"], "a book is found by its author and pages")
  let author = found.first?.author
  expect(author?.books?.count == 2, "its author has two books")
  if let book = found.first { author?.removeFromBooks(book) }
  expect(found.first?.author == nil, "a book that is taken out has no author")
  try context.save()
  if let author { context.delete(author) }
  try context.save()
  expect(try context.count(for: Book.fetchRequest()) == 1, "deleting the author deletes the other")
}
print("all as it should be")
