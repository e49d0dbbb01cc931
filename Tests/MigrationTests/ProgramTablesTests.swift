import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Tables and triggers that the program has put into a store's file.
@Suite struct ProgramTablesTests {
  private static func model(_ version: Int) -> NSManagedObjectModel {
    let note = entity("Note", [attribute("text", .stringAttributeType)])
    if version > 1 { note.properties.append(attribute("title", .stringAttributeType)) }
    return NSManagedObjectModel(of: [note])
  }

  /// Notes with the keys 3, 7 and 9.
  private func make(_ url: URL) throws {
    let context = try TestStore.open(url, Self.model(1))
    for _ in 1...9 { _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context) }
    try context.save()
    let texts: [Int64: String] = [3: "alpha", 7: "beta", 9: "gamma"]
    for note in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")) {
      guard let text = texts[note.objectID.key] else {
        context.delete(note)
        continue
      }
      note["text"] = text
    }
    try context.save()
    try TestStore.close(context)
  }

  private func execute(_ url: URL, _ statements: String...) throws {
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    for statement in statements { try connection.execute(statement) }
  }

  /// One stage, whose handler changes the note with the key 7.
  private var stages: NSStagedMigrationManager {
    let references = [1, 2].map { version in
      let model = Self.model(version)
      return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }
    let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
    stage.willMigrateHandler = { manager, _ in
      let context = try #require(manager.container?.newBackgroundContext())
      try context.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "text == 'beta'")
        try context.fetch(request).first?["text"] = "delta"
        try context.save()
      }
    }
    return NSStagedMigrationManager([stage])
  }

  /// A full-text index names rows by their rowids, its own ones too.
  @Test func stagesKeepRowids() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try make(url)
    try execute(
      url, "CREATE VIRTUAL TABLE full USING fts5(t)",
      "INSERT INTO full (rowid, t) SELECT Z_PK, ZTEXT FROM ZNOTE",
      "CREATE VIRTUAL TABLE own USING fts5(ZTEXT, content='ZNOTE', content_rowid='Z_PK')",
      "INSERT INTO own (rowid, ZTEXT) SELECT Z_PK, ZTEXT FROM ZNOTE",
      "CREATE TRIGGER follow AFTER UPDATE OF ZTEXT ON znote BEGIN "
        + "UPDATE full SET t = NEW.ZTEXT WHERE rowid = NEW.Z_PK; "
        + "INSERT INTO own (own, rowid, ZTEXT) VALUES ('delete', OLD.Z_PK, OLD.ZTEXT); "
        + "INSERT INTO own (rowid, ZTEXT) VALUES (NEW.Z_PK, NEW.ZTEXT); END",
      "CREATE VIRTUAL TABLE area USING rtree(id, x0, x1)",
      "INSERT INTO area VALUES (7, 1, 2)")
    try TestStore.migrate(
      url, to: Self.model(2), options: [NSPersistentStoreStagedMigrationManagerOptionKey: stages])
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    for (index, text, rowid) in [
      ("full", "alpha", 3), ("full", "beta", nil), ("full", "delta", 7), ("own", "beta", nil),
      ("own", "delta", 7), ("own", "gamma", 9),
    ] as [(String, String, Int64?)] {
      #expect(
        try connection.integer("SELECT rowid FROM \(index) WHERE \(index) MATCH '\(text)'")
          == rowid, "\(index), \(text)")
    }
    #expect(try connection.integer("SELECT id FROM area WHERE x1 > 1.5") == 7)
    // Later changes are followed, too.
    try connection.execute("UPDATE ZNOTE SET ZTEXT = 'omega' WHERE Z_PK = 3")
    for index in ["full", "own"] {
      #expect(
        try connection.integer("SELECT rowid FROM \(index) WHERE \(index) MATCH 'omega'") == 3)
      try connection.execute("INSERT INTO \(index) (\(index)) VALUES ('integrity-check')")
    }
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    #expect(try StoreChecker(url, model: Self.model(2)).findings() == [])
  }

  @Test func stagesKeepTablesOfEveryKind() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try make(url)
    try execute(
      url, "CREATE TABLE visits (note)",
      "INSERT INTO visits (rowid, note) VALUES (5, 'a'), (8, 'b')",
      "CREATE TABLE taken (rowid TEXT, note)",
      "INSERT INTO taken (_rowid_, rowid, note) VALUES (6, 'x', 'c')",
      "CREATE TABLE pairs (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID",
      "INSERT INTO pairs VALUES (1, 2)",
      "CREATE TABLE falling (id INTEGER PRIMARY KEY DESC, note)",
      "INSERT INTO falling (rowid, id, note) VALUES (4, 40, 'd')",
      "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, n, twice AS (n * 2))",
      "INSERT INTO counted VALUES (1, 10), (4, 40)", "DELETE FROM counted WHERE id = 4",
      "CREATE INDEX by_note ON visits (note)", "ANALYZE")
    let statistics = try SQLiteConnection.reading(url)
      .text("SELECT stat FROM sqlite_stat1 WHERE idx = 'by_note'")
    try TestStore.migrate(
      url, to: Self.model(2), options: [NSPersistentStoreStagedMigrationManagerOptionKey: stages])
    let connection = try SQLiteConnection.reading(url)
    for (sql, text) in [
      ("SELECT group_concat(rowid || note, ' ') FROM visits", "5a 8b"),
      ("SELECT _rowid_ || rowid || note FROM taken", "6xc"),
      ("SELECT a || b FROM pairs", "12"),
      ("SELECT rowid || id || note FROM falling", "440d"),
      ("SELECT id || ' ' || twice FROM counted", "1 20"),
      ("SELECT seq FROM sqlite_sequence WHERE name = 'counted'", "4"),
      ("SELECT stat FROM sqlite_stat1 WHERE idx = 'by_note'", statistics ?? "none"),
      ("PRAGMA integrity_check", "ok"),
    ] { #expect(try connection.text(sql) == text, "\(sql)") }
  }

  /// SQLite ignores case in names, and keeps that of a trigger's statement.
  @Test func triggersStayHoweverTheirTableIsWritten() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try make(url)
    try execute(
      url, "CREATE TABLE deleted (note)", "CREATE INDEX my_index ON znote (ztext)",
      "CREATE TRIGGER my_trigger AFTER DELETE ON zNote BEGIN "
        + "INSERT INTO deleted VALUES (OLD.ZTEXT); END",
      "CREATE TRIGGER my_other AFTER DELETE ON znote BEGIN "
        + "INSERT INTO deleted VALUES (OLD.ZGONE); END")
    try TestStore.migrate(url, to: Self.model(2))
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    #expect(
      try connection.text(
        "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_master "
          + "WHERE name LIKE 'my%' ORDER BY name)") == "my_index my_trigger")
    try connection.execute("DELETE FROM ZNOTE WHERE Z_PK = 7")
    #expect(try connection.text("SELECT note FROM deleted") == "beta")
  }
  private func map(_ url: URL, to model: NSManagedObjectModel) throws -> [String] {
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: Self.model(1), destinationModel: model)
    return try StoreMigration(
      url: url, connection: connection, metadata: try connection.readMetadata(), model: model,
      options: nil
    ).run(mapping, from: Self.model(1))
  }

  @Test func aMappingModelLeavesThem() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try make(url)
    try execute(
      url, "CREATE TABLE visits (note)",
      "INSERT INTO visits (rowid, note) VALUES (5, 'a'), (8, 'b')",
      "CREATE TABLE deleted (note)", "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT)",
      "INSERT INTO counted VALUES (4)", "DELETE FROM counted",
      "CREATE INDEX by_note ON visits (note)", "CREATE VIEW texts AS SELECT ZTEXT FROM ZNOTE",
      "CREATE TRIGGER visited AFTER DELETE ON visits BEGIN "
        + "INSERT INTO deleted VALUES (OLD.note); END",
      "CREATE VIRTUAL TABLE full USING fts5(t)",
      "INSERT INTO full (rowid, t) VALUES (7, 'beta')",
      "CREATE VIRTUAL TABLE words USING fts5(ZTEXT, content='ZNOTE', content_rowid='Z_PK')",
      "INSERT INTO words (words) VALUES ('rebuild')", "CREATE TABLE Z_kept (a)",
      "INSERT INTO Z_kept VALUES (1)",
      "CREATE TRIGGER Z_mine AFTER INSERT ON ZNOTE BEGIN INSERT INTO Z_kept VALUES (2); END",
      "CREATE INDEX my_index ON znote (ztext)",
      "CREATE TRIGGER my_trigger AFTER DELETE ON zNote BEGIN "
        + "INSERT INTO deleted VALUES (OLD.ZTEXT); END",
      "CREATE TRIGGER my_other AFTER DELETE ON znote BEGIN "
        + "INSERT INTO deleted VALUES (OLD.ZGONE); END")
    #expect(try map(url, to: Self.model(2)) == ["my_other"])
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    #expect(try connection.integer("SELECT count(*) FROM deleted") == 0)
    // Rows have new keys, which full-text indexes of their texts follow.
    let key = try connection.integer("SELECT Z_PK FROM ZNOTE WHERE ZTEXT = 'beta'")
    #expect(try connection.integer("SELECT rowid FROM words WHERE words MATCH 'beta'") == key)
    #expect(try connection.text("SELECT ZTEXT FROM words WHERE words MATCH 'beta'") == "beta")
    #expect(try connection.text("SELECT group_concat(a) FROM Z_kept") == "1")
    try connection.execute(
      "DELETE FROM ZNOTE WHERE ZTEXT = 'beta'; DELETE FROM visits WHERE note = 'b'")
    for (sql, text) in [
      ("SELECT group_concat(rowid || note, ' ') FROM visits", "5a"),
      ("SELECT group_concat(note, ' ') FROM deleted", "beta b"),
      ("SELECT seq FROM sqlite_sequence WHERE name = 'counted'", "4"),
      ("SELECT count(*) FROM texts", "2"),
      ("SELECT rowid FROM full WHERE full MATCH 'beta'", "7"),
      ("SELECT count(*) FROM sqlite_master WHERE name IN ('by_note', 'my_index')", "2"),
      ("SELECT count(*) FROM sqlite_master WHERE name = 'Z_mine'", "1"),
      ("PRAGMA integrity_check", "ok"),
    ] { #expect(try connection.text(sql) == text, "\(sql)") }
    #expect(try StoreChecker(url, model: Self.model(2)).findings() == [])
    let context = try TestStore.open(url, Self.model(2))
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 2)
  }

  @Test func aTableInTheWayIsNotReplaced() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Notes.sqlite")
    try make(url)
    try execute(url, "CREATE TABLE zvisit (a)", "INSERT INTO zvisit VALUES ('mine')")
    let note = entity("Note", [attribute("text", .stringAttributeType)])
    let new = NSManagedObjectModel(of: [note, entity("Visit")])
    let error = #expect(throws: NSError.self) { try map(url, to: new) }
    #expect(error?.code == NSMigrationError)
    #expect(try SQLiteConnection.reading(url).text("SELECT a FROM zvisit") == "mine")
    let context = try TestStore.open(url, Self.model(1))
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 3)
  }
}
