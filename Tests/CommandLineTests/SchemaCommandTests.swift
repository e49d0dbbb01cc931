import Foundation
import TestSupport
import Testing

@Suite struct SchemaCommandTests {
  private static let model = Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd")

  @Test func printsTablesByTheModelsNamesForEachDatabase() throws {
    for (dialect, key) in [
      ("postgresql", #""_id" bigint PRIMARY KEY DEFAULT nextval('"Order_id_seq"')"#),
      ("sqlite", #""_id" integer PRIMARY KEY"#),
      ("duckdb", #""_id" bigint PRIMARY KEY DEFAULT nextval('"Order_id_seq"')"#),
    ] {
      let outcome = try Tool.run("schema", Self.model.path, "--dialect", dialect)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.text.contains("CREATE TABLE \"Order\" (\n  \(key)"), "\(dialect)")
      #expect(outcome.text.contains("CREATE TABLE \"Party\""), "\(dialect)")
    }
  }

  @Test func refusesUnknownDatabases() throws {
    #expect(try Tool.run("schema", Self.model.path, "--dialect", "oracle").status == 64)
    #expect(try Tool.run("schema", "gone.mom").status == 2)
  }
}
