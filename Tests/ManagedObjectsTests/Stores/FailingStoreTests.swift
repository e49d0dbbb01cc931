import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// External failures result in Core Data's errors and don't lose data.
@Suite struct FailingStoreTests {
  func model() -> NSManagedObjectModel {
    let note = entity("Note", [attribute("text", .stringAttributeType)])
    let tag = entity("Tag", [attribute("name", .stringAttributeType)])
    tag.uniquenessConstraints = [["name"]]
    return NSManagedObjectModel(of: [note, tag])
  }

  func open(
    _ url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    try TestStore.open(url, model(), options: options)
  }

  func insert(
    _ entity: String, _ key: String, _ text: String, _ context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object[key] = text
    return object
  }

  @Test func foreignFilesAreRefused() throws {
    let folder = try TemporaryFolder()
    let text = folder.file("text.sqlite")
    try Data(repeating: 65, count: 5000).write(to: text)
    let foreign = folder.file("foreign.sqlite")
    do {
      let connection = try SQLiteConnection(writing: foreign, creation: .ifMissing)
      try connection.execute("CREATE TABLE t (a)")
    }
    let before = try folder.contents()
    let notSQLite = #expect(throws: NSError.self) { try open(text) }
    #expect(notSQLite?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
    #expect((notSQLite?.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue == 26)
    let notAStore = #expect(throws: NSError.self) { try open(foreign) }
    #expect(notAStore?.code == NSPersistentStoreIncompatibleSchemaError)
    #expect(try folder.contents() == before)
  }

  /// Creates a store with one note.
  func fill(_ url: URL) throws {
    let context = try open(url)
    _ = insert("Note", "text", "one", context)
    try context.save()
  }

  @Test func aReadOnlyStoreRefusesToSave() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url)
    let context = try open(url, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 1)
    _ = insert("Note", "text", "two", context)
    #expect(throws: NSError.self) { try context.save() }
    #expect(context.insertedObjects.count == 1)
  }

  @Test func aBusyStoreTimesOutAndTakesTheSaveLater() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let context = try open(url, options: [NSPersistentStoreTimeoutOption: 0.05])
    let other = try SQLiteConnection(writing: url, creation: .existing)
    try other.execute("BEGIN IMMEDIATE")
    _ = insert("Note", "text", "one", context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreTimeoutError)
    try other.execute("ROLLBACK")
    try context.save()
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 1)
  }

  /// A page that was damaged after the store was opened.
  @Test func whatCannotBeReadIsNotOverwritten() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let context = try open(url)
    let note = insert("Note", "text", "one", context)
    try context.save()
    context.refresh(note, mergeChanges: false)
    let other = try SQLiteConnection(writing: url, creation: .existing)
    try other.execute("DROP TABLE ZNOTE")
    #expect(note["text"] == nil)
    // Nothing overwrites it.
    try context.save()
    note["text"] = "two"
    for _ in 0..<2 { #expect(throws: NSError.self) { try context.save() } }
    context.rollback()
    try context.save()
  }

  /// Numbers that a store may contain, but that can't be incremented.
  @Test func theLastKeyAndTheLastVersionAreNoTrap() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url)
    do {
      let other = try SQLiteConnection(writing: url, creation: .existing)
      try other.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max - 1)")
      try other.execute("UPDATE ZNOTE SET Z_OPT = \(Int64.max)")
    }
    let context = try open(url)
    let note = try #require(
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
    note["text"] = "two"
    try context.save()
    note["text"] = "three"
    try context.save()
    let new = insert("Note", "text", "four", context)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreSaveError)
    #expect(error?.localizedDescription.contains("no keys left for 'Note'") == true)
    #expect(new.isInserted)
    let read = try open(url).fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
    #expect(read.map { $0["text"] as? String } == ["three"])
  }

  @Test(arguments: NSMergePolicyType.allCases)
  func uniqueValuesFollowThePolicy(type: NSMergePolicyType) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let first = try open(url)
    let present = insert("Tag", "name", "red", first)
    try first.save()
    let second = try open(url)
    second.mergePolicy = NSMergePolicy(merge: type)
    _ = insert("Tag", "name", "red", second)
    if type == .errorMergePolicyType {
      let error = #expect(throws: NSError.self) { try second.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
    } else {
      try second.save()
    }
    let tags = try open(url).fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
    #expect(tags.count == 1)
    #expect(
      (tags.first?.objectID.key == present.objectID.key) == (type != .overwriteMergePolicyType))
  }

  @Test func historyRecordsEverySave() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let context = try open(url, options: [NSPersistentHistoryTrackingKey: true])
    context.transactionAuthor = "me"
    let note = insert("Note", "text", "one", context)
    try context.save()
    note["text"] = "two"
    try context.save()
    context.delete(note)
    try context.save()
    let connection = try SQLiteConnection.reading(url)
    var changes: [String] = []
    try connection.withStatement(
      """
      SELECT c.ZCHANGETYPE, c.ZENTITYPK, hex(c.ZCOLUMNS), s.ZNAME FROM ACHANGE c
      JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID
      JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS ORDER BY c.Z_PK
      """
    ) { row in
      while try row.step() {
        changes.append(
          "\(row.integer(at: 0)) \(row.integer(at: 1)) \(row.text(at: 2) ?? "") "
            + (row.text(at: 3) ?? ""))
      }
    }
    #expect(changes == ["0 1  me", "1 1 80 me", "2 1  me"])
    #expect(
      try connection.text("SELECT group_concat(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
        == "3,3,2")
  }
}
