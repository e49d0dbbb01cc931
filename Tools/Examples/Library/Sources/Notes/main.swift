// The stack of a new Xcode project, and a typical data layer, importing only Core Data. The model uses all three code
// generation options.

import CoreData

func expect(_ isSo: Bool, _ what: String) {
  guard !isSo else { return print("  as it should be: \(what)") }
  print("  WRONG: \(what)")
  exit(1)
}

/// Runs on the main actor, as a program's views do.
@MainActor
func runTemplate() throws {
  let list = try EntryList(context: PersistenceController.preview.container.viewContext)
  expect(list.entries.count == 10, "the preview has its entries")
  try list.addItem(at: Date(timeIntervalSinceReferenceDate: -1))
  expect(list.entries.count == 11 && list.updateCount == 1, "a new entry is listed")
  expect(
    list.entries.first?.timestamp == Date(timeIntervalSinceReferenceDate: -1), "in its place")
  try list.deleteItems(offsets: [0, 10])
  expect(list.entries.count == 9, "entries are deleted")
}

@MainActor
func runNoteBook(in folder: URL) async throws {
  let book = NoteBook(storeURL: folder.appendingPathComponent("Notes.sqlite"))
  expect(Folder(context: book.managedContext).name == "Untitled", "a folder awakes from insertion")
  book.managedContext.rollback()

  let travel = try book.folder(named: "Travel")
  let rome = book.addNote("Rome", rating: 5, to: travel)
  let oslo = book.addNote("Oslo", rating: 2, to: travel)
  let label = Label(context: book.managedContext)
  label.name = "city"
  rome.addToLabels(label)
  label.notes.insert(oslo)
  book.saveContext()
  expect(!book.managedContext.hasChanges, "all is saved")
  expect(travel.sortedNotes.compactMap(\.title) == ["Rome", "Oslo"], "notes keep their order")
  expect(try book.folder(named: "Travel") === travel, "a folder is found by its name")
  expect(try book.notes(matching: "ROM") == [rome], "a note is found by a part of its title")
  expect(try book.notes(matching: "City") == [rome, oslo], "and by its label")
  expect(try book.averageRating(in: travel) == 3.5, "the store computes an average")

  expect(try await book.importNotes(["a", "b", "c"]) == 3, "notes are inserted in a batch")
  let token = try await book.mergeHistory(since: nil)
  expect(token != nil, "the history tells of them")
  expect(try book.managedContext.count(for: Note.fetchRequest()) == 5, "they are there")
  try book.deleteNotes(ratedBelow: 3)
  expect(
    rome.managedObjectContext != nil && oslo.isDeleted || oslo.managedObjectContext == nil,
    "a batch deletes")
  expect(try book.managedContext.count(for: Note.fetchRequest()) == 1, "one is left")
  expect(travel.notes?.count == 1, "its folder knows")

  let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  child.parent = book.managedContext
  let draft = child.object(with: rome.objectID) as? Note
  draft?.title = "Roma"
  expect(rome.title == "Rome", "a child's changes are its own")
  try child.save()
  expect(rome.title == "Roma" && book.managedContext.hasChanges, "until it saves")
  book.managedContext.undoManager = UndoManager()
  rome.rating = 1
  book.managedContext.processPendingChanges()
  book.managedContext.undo()
  expect(rome.rating == 5, "a change is taken back")
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("momkit-notes-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
print("The stack of a new project.")
expect(
  NSManagedObjectModel.mergedModel(from: [Bundle.module])?.entitiesByName["Note"] != nil,
  "the model is among the resources")
try runTemplate()
print("A data layer.")
try await runNoteBook(in: folder)
print("all as it should be")
