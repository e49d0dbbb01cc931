import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Contexts that keep reading one query generation of a store.
@Suite struct GenerationTests {
  private func coordinator(_ url: URL) throws -> NSPersistentStoreCoordinator {
    let entity = entity("Note", [attribute("text", .stringAttributeType)])
    let model = NSManagedObjectModel(of: [entity])
    return try TestStore.coordinator(model, at: url)
  }

  private func texts(_ context: NSManagedObjectContext) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
    return try context.fetch(request).compactMap { $0["text"] as? String }
  }

  private func add(_ text: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
    note["text"] = text
    try context.save()
    return note
  }

  @Test func aPinnedContextKeepsItsState() throws {
    let folder = try TemporaryFolder()
    let coordinator = try coordinator(folder.file("Notes.sqlite"))
    let (reader, writer) = (TestStore.context(coordinator), TestStore.context(coordinator))
    writer.retainsRegisteredObjects = true
    let a = try add("a", writer)
    #expect(reader.queryGenerationToken == nil)
    try reader.setQueryGenerationFrom(.current)
    #expect(reader.queryGenerationToken === NSQueryGenerationToken.current)
    #expect(try texts(reader) == ["a"])
    let token = try #require(reader.queryGenerationToken)
    #expect(token !== NSQueryGenerationToken.current)
    a["text"] = "changed"
    _ = try add("b", writer)
    reader.refreshAllObjects()
    #expect(try texts(reader) == ["a"])
    #expect(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 1)
    // Another context reads the same generation using its token.
    let other = TestStore.context(coordinator)
    try other.setQueryGenerationFrom(token)
    #expect(try texts(other) == ["a"])
    #expect(try texts(TestStore.context(coordinator)) == ["b", "changed"])
    // A save moves on to the newest generation.
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: reader)
    note["text"] = "c"
    try reader.save()
    reader.refreshAllObjects()
    #expect(try texts(reader) == ["b", "c", "changed"])
    try reader.setQueryGenerationFrom(nil)
    writer.delete(a)
    try writer.save()
    #expect(try texts(reader) == ["b", "c"])
  }

  @Test func conflictsAreStillFound() throws {
    let folder = try TemporaryFolder()
    let coordinator = try coordinator(folder.file("Notes.sqlite"))
    let (reader, writer) = (TestStore.context(coordinator), TestStore.context(coordinator))
    let note = try add("a", writer)
    try reader.setQueryGenerationFrom(.current)
    let same = reader.object(with: note.objectID)
    #expect(same["text"] as? String == "a")
    note["text"] = "theirs"
    try writer.save()
    same["text"] = "mine"
    let error = #expect(throws: NSError.self) { try reader.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    reader.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try reader.save()
    #expect(try texts(TestStore.context(coordinator)) == ["mine"])
  }

  @Test func storesInMemoryHaveNoStates() throws {
    let coordinator = try coordinator(URL(fileURLWithPath: "/dev/null"))
    let (reader, writer) = (TestStore.context(coordinator), TestStore.context(coordinator))
    try reader.setQueryGenerationFrom(.current)
    #expect(try texts(reader).isEmpty)
    _ = try add("a", writer)
    #expect(try texts(reader) == ["a"])
  }
}
