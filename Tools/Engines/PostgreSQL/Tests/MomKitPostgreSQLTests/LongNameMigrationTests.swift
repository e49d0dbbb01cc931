import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Migrations of relationships whose names, with what is added to them, are longer than PostgreSQL's.
@Suite(.enabled(if: TestServer.isThere)) struct LongNameMigrationTests {
  /// `List {name}` has `songs`, which are ordered, and the other way round.
  private func model(
    _ inverse: NSRelationshipDescription, songs: String, more: [String] = []
  ) -> NSManagedObjectModel {
    let list = TestModel.entity("List", [TestModel.attribute("name")])
    let song = TestModel.entity("Song", (["name"] + more).map { TestModel.attribute($0) })
    let forward = TestModel.toMany(songs, ordered: true)
    list.properties.append(forward)
    song.properties.append(inverse)
    TestModel.link(forward, list, inverse, song)
    return TestModel.model([list, song])
  }

  /// Migrates a store in which a list has songs in an order.
  private func requireOrder(songs: String, inverse: () -> NSRelationshipDescription) throws {
    let lines = try MigrationTrial.run {
      model(inverse(), songs: songs)
    } to: {
      model(inverse(), songs: songs, more: ["length"])
    } fill: { context in
      let members = ["c", "a", "d", "b"].map { context.insert("Song", ["name": $0]) }
      let list = context.insert("List", ["name": "l"])
      list.setValue(NSOrderedSet(array: members), forKey: songs)
      try context.save()
    } describe: { context in
      try context.all("List").flatMap { list in
        (list.value(forKey: songs) as? NSOrderedSet ?? []).map {
          ($0 as? NSManagedObject)?.value(forKey: "name") as? String ?? "?"
        }
      }
    }
    #expect(lines == ["c", "a", "d", "b"])
  }

  /// The name of the column of positions is shortened.
  @Test func membersKeepTheirOrder() throws {
    let name = String(repeating: "n", count: 58)
    try requireOrder(songs: "songs") { TestModel.toOne(name) }
  }

  /// The name of the join table's second index is shortened.
  @Test func joinTablesKeepTheirIndexes() throws {
    let name = String(repeating: "n", count: 55)
    try requireOrder(songs: name) { TestModel.toMany("lists") }
  }

  /// Former versions left it to the server to cut the index's name, which isn't that of somebody else's index.
  @Test func indexesOfFormerVersionsAreReplaced() throws {
    let name = String(repeating: "n", count: 55)
    let old = try TestContexts(
      NSPostgreSQLStoreType, model(TestModel.toMany("lists"), songs: name))
    _ = try old.context()
    let indexes = """
      SELECT indexname::text FROM pg_indexes
      WHERE schemaname = current_schema() AND tablename = 'List_\(name)' ORDER BY 1
      """
    let present = try TestServer.texts(indexes, at: old.url)
    let back = try #require(present.first { !$0.hasSuffix("_pkey") })
    let former = String("List_\(name)_back".prefix(63))
    #expect(back != former)
    try TestServer.execute("ALTER INDEX \"\(back)\" RENAME TO \"\(former)\"", at: old.url)
    let model = model(TestModel.toMany("lists"), songs: name, more: ["length"])
    _ = try TestContexts(NSPostgreSQLStoreType, model, at: old.url).context(MigrationTrial.options)
    #expect(try TestServer.texts(indexes, at: old.url) == present)
  }
}
