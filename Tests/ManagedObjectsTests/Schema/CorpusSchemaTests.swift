import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// The layout derived from a store's model matches the store.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusSchemaTests {
  static let withModel = CorpusStore.all.filter { (try? CorpusStore.model(of: $0)) != nil }

  @Test func mostStoresHaveAModel() {
    #expect(Self.withModel.count >= 11)
  }

  @Test(arguments: withModel)
  func tablesAndNumbersAreTheStores(store: Corpus.File) throws {
    let (schema, connection) = try open(store)
    let real = try objects("table", in: connection)
    let bookkeeping = [
      "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION",
      "ATRANSACTIONSTRING",
    ]
    let made = Dictionary(
      (schema.tables.map { ($0.name, $0.createStatement) }
        + schema.joinTables.map { ($0.name, $0.createStatement) }),
      uniquingKeysWith: { first, _ in first })
    #expect(
      Set(made.keys)
        == Set(real.keys.filter { $0.hasPrefix("Z") && !bookkeeping.contains($0) }))
    for (name, statement) in made {
      // A store that was migrated in place has its newer columns at the end.
      #expect(columns(statement) == columns(real[name] ?? ""), "\(name)")
    }
    for name in bookkeeping where real[name] != nil && name.hasPrefix("Z") {
      #expect(
        (StoreSchema.bookkeepingTables + [StoreSchema.modelCacheTable]).contains(real[name] ?? ""))
    }
    try connection.withStatement(
      "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1"
    ) { row in
      var count = 0
      while try row.step() {
        count += 1
        let entity = try #require(schema[number: Int(row.integer(at: 0))])
        #expect(entity.parentNumber == Int(row.integer(at: 2)))
        // A store that was migrated may still contain an entity's previous name.
        let name = row.text(at: 1) ?? ""
        #expect(name == entity.name || schema[name] == nil)
      }
      #expect(count == schema.entities.count)
    }
  }

  @Test(arguments: withModel)
  func indexesAndTriggersAreTheStores(store: Corpus.File) throws {
    let (schema, connection) = try open(store)
    for (kind, made) in [("index", schema.indexes), ("trigger", schema.triggers)] {
      let real = try objects(kind, in: connection)
      for object in made { #expect(normal(real[object.name]) == normal(object.statement)) }
    }
  }

  /// All statements together create a file that SQLite considers sound.
  @Test(arguments: withModel)
  func theStatementsRun(store: Corpus.File) throws {
    let (schema, _) = try open(store)
    let connection = try SQLiteConnection.inMemory()
    for statement in schema.statements { try connection.execute(statement) }
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }

  private func open(_ store: Corpus.File) throws -> (StoreSchema, SQLiteConnection) {
    let model = try #require(try CorpusStore.model(of: store))
    let version = try StoreFile(at: store.url.path).metadata.frameworkVersion ?? 0
    return (
      try StoreSchema(model: model, version: FrameworkVersion(rawValue: version)),
      try SQLiteConnection.reading(store.url)
    )
  }

  private func objects(_ kind: String, in connection: SQLiteConnection) throws -> [String: String] {
    var objects: [String: String] = [:]
    try connection.withStatement(
      """
      SELECT name, sql FROM sqlite_master WHERE type = '\(kind)' AND sql IS NOT NULL
      AND tbl_name NOT IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING')
      AND name NOT LIKE 'sqlite%'
      """
    ) { row in
      while try row.step() { objects[row.text(at: 0) ?? ""] = row.text(at: 1) }
    }
    return objects
  }

  private func normal(_ statement: String?) -> String? {
    statement?.replacing("\"", with: "").replacing("IF NOT EXISTS ", with: "")
  }

  /// A table's columns as a set, with the constraints.
  private func columns(_ statement: String) -> [String] {
    guard let start = statement.firstIndex(of: "("), let end = statement.lastIndex(of: ")") else {
      return []
    }
    return statement[statement.index(after: start)..<end].split(separator: ",")
      .map { $0.trimmingCharacters(in: .whitespaces) }.sorted()
  }
}
