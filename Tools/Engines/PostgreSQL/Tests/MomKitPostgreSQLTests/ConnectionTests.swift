import Foundation
import MomKit
import Testing

@testable import MomKitPostgreSQL

/// Opening stores, and connections that are lost or can't be opened.
@Suite(.enabled(if: TestServer.isThere)) struct ConnectionTests {
  private let model = TestModel.shop()

  /// Returns the error of opening a store.
  private func failure(_ url: URL, timeout: Double = 30) -> NSError? {
    #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
        type: .postgreSQL, at: url, options: [NSPersistentStoreTimeoutOption: timeout])
    }
  }

  // MARK: URLs

  @Test func longSchemasAreRefused() throws {
    // 64 bytes, in 32 characters.
    let name = String(repeating: "é", count: 32)
    var parts = try #require(
      URLComponents(url: try TestServer.url(), resolvingAgainstBaseURL: false))
    parts.queryItems = [URLQueryItem(name: "schema", value: name)]
    let error = failure(try #require(parts.url))
    #expect(error?.code == NSPersistentStoreOpenError)
    #expect(error?.localizedDescription.contains("64 bytes") == true)
    parts.queryItems = [URLQueryItem(name: "schema", value: "\(name.dropLast())x")]
    let url = try #require(parts.url)
    _ = try TestContexts(NSPostgreSQLStoreType, model, at: url).context()
    try NSPersistentStoreCoordinator(managedObjectModel: model)
      .destroyPersistentStore(at: url, type: .postgreSQL)
  }

  @Test(arguments: [
    "postgresql://momkit:Hun%00ter2@127.0.0.1:1/x",
    "postgresql://momkit@127.0.0.1:1/x?password=Hun%00ter2",
    "postgresql://momkit:Hun@ter2@127.0.0.1:1/x", "postgresql://momkit:Hun%zzter2@127.0.0.1:1/x",
    "postgresql://momkit@127.0.0.1:1/x?password=Hun%zzter2",
    "postgresql://momkit@127.0.0.1:1/x?schema=%FF",
  ])
  func whatLibpqWouldQuoteIsntInMessages(text: String) throws {
    PostgreSQLStore.register()
    guard let url = URL(string: text) else { return }
    let error = try #require(failure(url, timeout: 0.5))
    let told = "\(error) \(error.userInfo)"
    #expect(!told.contains("Hun") && !told.contains("ter2"), "\(told)")
    #expect(error.code == NSPersistentStoreOpenError)
  }

  @Test func partsThatCantBeDecodedAreRedacted() {
    for text in [
      "forbidden value %00 in percent-encoded value: \"Hun%00ter2\"",
      "invalid percent-encoded token: \"Hun%zzter2\"", "x postgresql://a:Hunter2@b",
    ] {
      let redacted = PostgreSQLError.redacted(text)
      #expect(!redacted.contains("Hun") && !redacted.contains("ter2"))
    }
  }

  // MARK: Databases

  @Test func databasesInOtherEncodingsAreRefused() throws {
    let name = "latin" + UUID().uuidString.prefix(8).lowercased()
    try TestServer.execute(
      "CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    defer { try? TestServer.execute("DROP DATABASE \(name) WITH (FORCE)") }
    let error = failure(try TestServer.url(database: name))
    #expect(error?.code == NSPersistentStoreOpenError)
    #expect(error?.localizedDescription.contains("LATIN1") == true)
    #expect(error?.localizedDescription.contains("UTF8") == true)
  }

  /// What waiting can't change fails at once, whatever the language of messages.
  @Test func hopelessAttemptsEndAtOnce() throws {
    let name = "hopeless" + UUID().uuidString.prefix(8).lowercased()
    let password = ProcessInfo.processInfo.environment["PGPASSWORD"] ?? ""
    try TestServer.execute(
      """
      CREATE ROLE \(name) LOGIN PASSWORD '\(password)';
      CREATE ROLE \(name)_out NOLOGIN PASSWORD '\(password)';
      CREATE ROLE \(name)_none LOGIN PASSWORD '\(password)' CONNECTION LIMIT 0
      """)
    try TestServer.execute("CREATE DATABASE \(name)")
    try TestServer.execute("REVOKE CONNECT ON DATABASE \(name) FROM PUBLIC")
    defer {
      try? TestServer.execute("DROP DATABASE \(name) WITH (FORCE)")
      try? TestServer.execute("DROP ROLE \(name), \(name)_out, \(name)_none")
    }
    func added(_ parameter: String) throws -> URL {
      try #require(URL(string: "\(try TestServer.url().absoluteString)&\(parameter)"))
    }
    let cases: [(URL, String)] = [
      (try TestServer.url(database: name, user: name), "42501"),
      (try TestServer.url(user: "\(name)_out"), "28000"),
      (try TestServer.url(user: "\(name)_none"), "53300"),
      (try TestServer.url(database: "nowhere"), "3D000"),
      (try TestServer.url(user: "nobody\(name)"), "28P01"),
      (try added("sslmode=require"), ""), (try added("sslmode=perhaps"), ""),
      (try added("bogus=1"), ""), (try added("port=x"), ""),
    ]
    for (url, state) in cases {
      let start = ContinuousClock.now
      let error = failure(url)
      #expect(ContinuousClock.now - start < .seconds(10), "\(url)")
      #expect(error?.userInfo[PostgreSQLStore.sqlStateErrorKey] as? String == state, "\(url)")
      #expect(error?.localizedDescription.contains("LOCATION") == false)
    }
    // A server that isn't there may be starting.
    let start = ContinuousClock.now
    _ = failure(try #require(URL(string: "postgresql://momkit@127.0.0.1:1/x")), timeout: 1)
    #expect(ContinuousClock.now - start > .seconds(0.9))
  }

  /// A host that doesn't answer leaves time for the next one.
  @Test func hostsThatDontAnswerArePassedOver() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The queue of one that accepts nobody is soon full.
    let clients = (0..<3).map { _ in
      socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK, 0)
    }
    defer { for client in clients { close(client) } }
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, listen(listener, 0) == 0,
          getsockname(listener, address, &length) == 0
        else { return false }
        for client in clients { _ = connect(client, address, length) }
        return true
      }
    }
    #expect(isListening)
    let server = try #require(URLComponents(string: TestServer.address ?? ""))
    let ports = "\(UInt16(bigEndian: address.sin_port)),\(try #require(server.port))"
    let url = try #require(
      URL(
        string: "postgresql:///postgres?user=momkit&host=127.0.0.1,127.0.0.1&port=\(ports)"
      ))
    let start = ContinuousClock.now
    let target = try PostgreSQLTarget(url, options: [NSPersistentStoreTimeoutOption: 4.0])
    let connection = try PostgreSQLConnection(target)
    connection.close()
    #expect(ContinuousClock.now - start > .seconds(1.5), "the first host has answered")
    #expect(ContinuousClock.now - start < .seconds(3.5))
  }

  /// The server and libpq have numbers of milliseconds with 32 bits.
  @Test(arguments: [.infinity, 1e300, 1e6, .nan])
  func timeoutsMayBeOfAnyLength(seconds: Double) throws {
    let target = try PostgreSQLTarget(
      try TestServer.url(), options: [NSPersistentStoreTimeoutOption: seconds])
    #expect(target.timeout == (seconds.isNaN ? 30 : 500_000))
    let connection = try PostgreSQLConnection(target)
    defer { connection.close() }
    var setting = ""
    try connection.run(
      PostgreSQLConnection.Statement(
        "SELECT setting FROM pg_settings WHERE name = 'statement_timeout'")
    ) { setting = $0.text(0) }
    #expect(setting == (seconds.isNaN ? "30000" : "500000000"))
  }

  // MARK: Lost connections

  /// A server that crashed before it wrote anything of a transaction doesn't know the transaction's ID.
  @Test func transactionsOfTheFutureAreLost() throws {
    let connection = try PostgreSQLConnection(
      PostgreSQLTarget(try TestServer.url(), options: nil))
    defer { connection.close() }
    #expect(try PostgreSQLSave.status(of: "99999999999", connection).status == "aborted")
    var present = ""
    try connection.run(PostgreSQLConnection.Statement("SELECT pg_current_xact_id()::text")) {
      present = $0.text(0)
    }
    let known = try PostgreSQLSave.status(of: present, connection)
    #expect(known.status == "committed" && !known.start.isEmpty)
  }

  /// A standby that lags knows nothing of transactions that have been committed: they aren't lost.
  @Test func standbysDontTellWhatWasLost() throws {
    let connection = try PostgreSQLConnection(
      PostgreSQLTarget(try TestServer.url(), options: nil))
    defer { connection.close() }
    let schema = "standby" + UUID().uuidString.prefix(8).lowercased()
    // Functions that come before the server's own.
    try connection.execute(
      """
      CREATE SCHEMA \(schema);
      CREATE FUNCTION \(schema).pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
      SET search_path TO \(schema), pg_catalog
      """)
    defer { try? connection.execute("DROP SCHEMA \(schema) CASCADE") }
    let unknown = try PostgreSQLSave.status(of: "99999999999", connection)
    #expect(unknown.status == "standby" && !unknown.start.isEmpty)
  }

  /// A server may also be lost while the tables of history are made, after those of the objects.
  @Test func storesAreOpenedInSpiteOfLosses() throws {
    let name = "losing" + UUID().uuidString.prefix(8).lowercased()
    try TestServer.execute("CREATE DATABASE \(name)")
    defer { try? TestServer.execute("DROP DATABASE \(name) WITH (FORCE)") }
    let url = try TestServer.url(database: name)
    // Sequences aren't reset by rollbacks.
    try TestServer.execute(
      """
      CREATE SEQUENCE public.losses;
      CREATE FUNCTION public.lose() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity LIKE '%_momkit_history')
          AND nextval('public.losses') = 1
        THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); END IF;
      END $$;
      CREATE EVENT TRIGGER losing ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
        EXECUTE FUNCTION public.lose()
      """, at: url)
    let context = try TestContexts(NSPostgreSQLStoreType, model, at: url)
      .context([NSPersistentHistoryTrackingKey: true])
    _ = context.insert("Tag", ["title": "a"])
    try context.save()
    #expect(
      try TestServer.texts("SELECT last_value::text FROM public.losses", at: url) == ["2"])
  }

  /// Whether the connection was lost while nobody used it, is lost in the midst of the batch, or the server aborts the
  /// batch in favor of others: a batch that wasn't committed is done again.
  @Test(arguments: ["insert", "update", "delete"], ["idle", "lost", "aborted"])
  func batchesAreDoneInSpiteOfLosses(kind: String, loss: String) throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, model)
    let context = try contexts.context()
    _ = context.insert("Tag", ["title": "a"])
    try context.save()
    switch loss {
    case "idle":
      let pool = ConnectionPool.of(try PostgreSQLTarget(contexts.url, options: nil))
      var process: Int64 = 0
      let connection = try pool.take()
      try connection.run(PostgreSQLConnection.Statement("SELECT pg_backend_pid()")) {
        process = try $0.integer(0)
      }
      pool.recycle(connection)
      try TestServer.execute("SELECT pg_terminate_backend(\(process), 5000)")
    default:
      let event =
        loss == "lost"
        ? "PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10)"
        : "RAISE EXCEPTION 'others come first' USING ERRCODE = '40001'"
      // Sequences aren't reset by rollbacks.
      try TestServer.execute(
        """
        CREATE SEQUENCE losses;
        CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('losses') = 1 THEN \(event); END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER losing BEFORE INSERT OR UPDATE OR DELETE ON "Tag" EXECUTE FUNCTION lose()
        """, at: contexts.url)
    }
    switch kind {
    case "insert":
      // The program gives the rows only once.
      var number = 0
      let request = NSBatchInsertRequest(
        entityName: "Tag",
        dictionaryHandler: { row in
          number += 1
          row["title"] = "b\(number)"
          return number > 4
        })
      try context.execute(request)
    case "update":
      let request = NSBatchUpdateRequest(entityName: "Tag")
      request.propertiesToUpdate = ["title": "c"]
      try context.execute(request)
    default:
      let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
      try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
    }
    let titles = try contexts.context().all("Tag", sortedBy: "title").map {
      $0.value(forKey: "title") as? String ?? ""
    }
    let expected = ["insert": ["a", "b1", "b2", "b3", "b4"], "update": ["c"], "delete": []]
    #expect(titles == expected[kind])
  }
}
