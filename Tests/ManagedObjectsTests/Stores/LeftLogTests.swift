import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// New stores where the log or journal of a store was left that isn't there any more: SQLite removes those beside a file
/// that is empty, so nothing of them gets into the new one.
@Suite struct LeftLogTests {
  private static let model = NSManagedObjectModel(of: [
    entity("Thing", [attribute("name", .stringAttributeType)])
  ])

  /// Leaves a `-wal` or a `-journal` of a store with a table `old` beside a path.
  private func leave(_ suffix: String, beside url: URL, in folder: TemporaryFolder) throws {
    let live = folder.file("live.sqlite")
    let writer = try SQLiteConnection(writing: live, creation: .ifMissing)
    try writer.execute(
      "PRAGMA journal_mode=\(suffix == "-wal" ? "wal" : "delete"); PRAGMA cache_size=5;"
        + "CREATE TABLE old (a, b); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        + "WHERE i < 200) INSERT INTO old SELECT 7, randomblob(1000) FROM n")
    try writer.execute("BEGIN; UPDATE old SET a = 8")
    try FileManager.default.copyItem(atPath: live.path + suffix, toPath: url.path + suffix)
    #expect(try Data(contentsOf: URL(fileURLWithPath: url.path + suffix)).count > 1000)
    try writer.execute("ROLLBACK")
  }

  @Test(arguments: ["-wal", "-journal"], [false, true])
  func aNewStoreHasNothingOfIt(suffix: String, isReplaced: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("new.sqlite")
    try leave(suffix, beside: url, in: folder)
    if isReplaced {
      let source = folder.file("source.sqlite")
      try TestStore.make(source, Self.model, isEmpty: true)
      try NSPersistentStoreCoordinator(managedObjectModel: Self.model).replacePersistentStore(
        at: url, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
    }
    let context = try TestStore.open(url, Self.model)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    try context.save()
    try TestStore.close(context)
    let connection = try SQLiteConnection.reading(url)
    #expect(try !connection.hasTable("old"))
    #expect(try connection.integer("SELECT count(*) FROM ZTHING") == 1)
    #expect(try StoreCheck.findings(at: url).isEmpty)
  }
}
