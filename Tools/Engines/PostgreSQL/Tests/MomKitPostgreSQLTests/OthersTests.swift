import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// What other programs have in a store's schema.
@Suite(.enabled(if: TestServer.isThere)) struct OthersTests {
  private let contexts: TestContexts

  init() throws {
    contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    let context = try contexts.context()
    _ = context.insert("Order", ["number": 1])
    try context.save()
  }

  /// The shop model with another attribute of orders.
  private func migrate() throws -> NSManagedObjectContext {
    let model = TestModel.shop()
    model.entitiesByName["Order"]?.properties.append(TestModel.attribute("remark"))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
    try coordinator.addPersistentStore(type: .postgreSQL, at: contexts.url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func execute(_ sql: String) throws { try TestServer.execute(sql, at: contexts.url) }

  private func texts(_ sql: String) throws -> [String] {
    try TestServer.texts(sql, at: contexts.url)
  }

  private func destroy() throws {
    try NSPersistentStoreCoordinator(managedObjectModel: contexts.model)
      .destroyPersistentStore(at: contexts.url, type: .postgreSQL)
  }

  @Test(arguments: [
    (
      "CREATE VIEW v AS SELECT note, count(*) FROM \"Order\" GROUP BY note", "DROP VIEW v", "view v"
    ),
    (
      "CREATE MATERIALIZED VIEW v AS SELECT note FROM \"Order\"", "DROP MATERIALIZED VIEW v",
      "materialized view v"
    ),
    (
      "CREATE TABLE t (item bigint REFERENCES \"Order\" (_id))", "DROP TABLE t",
      "constraint t_item_fkey on table t"
    ),
    ("CREATE TABLE t (kind \"Party_entity\")", "DROP TABLE t", "column kind of table t"),
    (
      "CREATE TABLE t (id bigint DEFAULT nextval('\"Order_id_seq\"'))", "DROP TABLE t",
      "column id of table t"
    ),
    (
      "CREATE FUNCTION f(\"Order\") RETURNS int LANGUAGE sql AS 'SELECT 1'", "DROP FUNCTION f",
      "function f"
    ),
  ])
  func whatDependsOnTablesIsNeverDropped(sql: String, undo: String, name: String) throws {
    try execute(sql)
    // The migration leaves parties as they are.
    if !sql.contains("Party") {
      let error = #expect(throws: NSError.self) { try migrate() }
      #expect(error?.code == NSMigrationError)
      #expect(error?.localizedDescription.contains(name) == true, "\(error as Any)")
    }
    let error = #expect(throws: NSError.self) { try destroy() }
    #expect(error?.code == NSPersistentStoreOperationError)
    #expect(error?.localizedDescription.contains(name) == true, "\(error as Any)")
    #expect(try contexts.context().all("Order").count == 1)
    try execute(undo)
    #expect(try migrate().all("Order").count == 1)
    try destroy()
    #expect(
      try texts(
        "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace")
        == [])
  }

  /// These go with the tables, but not in a migration.
  @Test(arguments: [
    ("ALTER TABLE \"Order\" ADD COLUMN theirs int", "column theirs of table \"Order\""),
    ("CREATE POLICY p ON \"Order\" USING (true)", "policy p"),
    (
      """
      CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
      CREATE TRIGGER theirs BEFORE UPDATE ON "Order" FOR EACH ROW EXECUTE FUNCTION f()
      """, "trigger theirs"
    ), ("CREATE RULE r AS ON DELETE TO \"Order\" DO ALSO NOTHING", "rule r"),
  ])
  func whatIsOfATableIsNotDroppedByMigrations(sql: String, name: String) throws {
    try execute(sql)
    let error = #expect(throws: NSError.self) { _ = try migrate() }
    #expect(error?.code == NSMigrationError)
    #expect(error?.localizedDescription.contains(name) == true, "\(error as Any)")
    #expect(try contexts.context().all("Order").count == 1)
    try destroy()
  }

  /// The stores in other schemas of the search path have tables of the same names.
  @Test func anotherStoreOfTheSearchPathKeepsItsHistory() throws {
    let other = try TestContexts(NSPostgreSQLStoreType, contexts.model)
    let context = try other.context([NSPersistentHistoryTrackingKey: true])
    _ = context.insert("Tag", ["title": "a"])
    try context.save()
    let schemas = try [contexts.url, other.url].map {
      String(try #require($0.query?.split(separator: "=").last))
    }
    var parts = try #require(URLComponents(url: contexts.url, resolvingAgainstBaseURL: false))
    parts.percentEncodedQuery = "options=-csearch_path%3D\(schemas.joined(separator: "%2C"))"
    let url = try #require(parts.url)
    #expect(try TestServer.texts("SELECT current_schema()::text", at: url) == [schemas[0]])
    try NSPersistentStoreCoordinator(managedObjectModel: contexts.model)
      .destroyPersistentStore(at: url, type: .postgreSQL)
    #expect(try texts("SELECT (to_regclass('\(schemas[0])._momkit') IS NULL)::text") == ["true"])
    let changes = "SELECT entity FROM _momkit_change"
    #expect(try TestServer.texts(changes, at: other.url) == ["Tag"])
  }

  @Test func migrationsKeepOwnersPrivilegesAndIndexes() throws {
    let name = "role" + UUID().uuidString.prefix(8).lowercased()
    let (reader, owner) = ("\(name)_reader", "\(name)_owner")
    let schema = try #require(contexts.url.query?.split(separator: "=").last.map(String.init))
    try TestServer.execute("CREATE ROLE \(reader); CREATE ROLE \(owner)")
    defer {
      try? TestServer.execute("DROP OWNED BY \(reader), \(owner); DROP ROLE \(reader), \(owner)")
    }
    try execute(
      """
      GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(reader), \(owner);
      GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(reader) WITH GRANT OPTION;
      GRANT UPDATE (note) ON "Order" TO \(reader);
      GRANT SELECT ON "Order" TO PUBLIC;
      GRANT USAGE ON SEQUENCE "Order_id_seq" TO \(reader);
      ALTER TABLE "Order" OWNER TO \(owner);
      ALTER SEQUENCE "Order_id_seq" OWNER TO \(owner);
      CREATE INDEX theirs ON "Order" (lower(note)) WHERE total > 0;
      ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema) GRANT DELETE ON TABLES TO \(reader);
      ALTER TABLE "Party" ADD COLUMN theirs bigint REFERENCES "Order" (_id)
      """)
    let state = """
      SELECT unnest(ARRAY[
        pg_get_userbyid(relowner)::text, relacl::text,
        (SELECT attacl::text FROM pg_attribute WHERE attrelid = c.oid AND attname = 'note'),
        (SELECT relacl::text FROM pg_class WHERE oid = '"Order_id_seq"'::regclass),
        (SELECT relacl::text FROM pg_class WHERE oid = '"Order_tags"'::regclass),
        pg_get_indexdef(to_regclass('theirs')),
        (SELECT string_agg(conname || pg_get_constraintdef(oid), ', ' ORDER BY conname)
          FROM pg_constraint WHERE contype = 'f' AND conrelid IN ('"Party"'::regclass, c.oid))
      ]) FROM pg_class c WHERE oid = '"Order"'::regclass
      """
    let before = try texts(state)
    #expect(before.count == 7 && before[0] == owner)
    #expect(try migrate().all("Order").count == 1)
    func sorted(_ lines: [String]) -> [[String]] {
      lines.map { $0.split { "{,}".contains($0) }.map(String.init).sorted() }
    }
    #expect(try sorted(texts(state)) == sorted(before))
  }
}
