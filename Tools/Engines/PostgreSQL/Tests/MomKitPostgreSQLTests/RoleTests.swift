import Foundation
import MomKit
import Testing

@testable import MomKitPostgreSQL

/// What roles with few privileges can do.
@Suite(.enabled(if: TestServer.isThere)) struct RoleTests {
  /// Makes a role, and a schema in which it may make tables, as administrators do, and runs `body` with the URL.
  ///
  /// - Parameter options: of the role.
  private func withRole(_ options: String = "", _ body: (URL, String) throws -> Void) throws {
    let role = "role" + UUID().uuidString.prefix(8).lowercased()
    let password = ProcessInfo.processInfo.environment["PGPASSWORD"] ?? ""
    let url = try TestServer.url(user: role)
    let schema = try #require(url.query?.split(separator: "=").last)
    try TestServer.execute(
      """
      CREATE ROLE \(role) LOGIN PASSWORD '\(password)' \(options);
      CREATE SCHEMA \(schema);
      GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(role)
      """)
    defer { try? TestServer.execute("DROP OWNED BY \(role); DROP ROLE \(role)") }
    try body(url, role)
  }

  private func model(more: [String] = []) -> NSManagedObjectModel {
    let model = TestModel.shop()
    for name in ["Party", "Order"] {
      model.entitiesByName[name]?.properties += more.map { TestModel.attribute($0) }
    }
    return model
  }

  /// An administrator has made the schema.
  @Test func storesNeedNoPrivilegesOnTheDatabase() throws {
    try withRole { url, _ in
      let contexts = try TestContexts(NSPostgreSQLStoreType, model(), at: url)
      let context = try contexts.context([NSPersistentHistoryTrackingKey: true])
      let order = context.insert("Order", ["number": 1])
      order.setValue(context.insert("Person", ["name": "a"]), forKey: "customer")
      try context.save()
      let migrated = try TestContexts(NSPostgreSQLStoreType, model(more: ["remark"]), at: url)
        .context(MigrationTrial.options.merging([NSPersistentHistoryTrackingKey: true]) { $1 })
      let found = try migrated.all("Order", NSPredicate(format: "remark == nil"))
      #expect(found.map { $0.value(forKeyPath: "customer.name") as? String } == ["a"])
      try found.first?.managedObjectContext?.save()
      let names = try TestServer.texts(
        """
        SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace
          AND relname LIKE '\\_momkit\\_old%'
        UNION ALL SELECT typname::text FROM pg_type WHERE typnamespace = current_schema()::regnamespace
          AND typname LIKE '%\\_momkit\\_old%'
        """, at: url)
      #expect(names == [])
      try migrated.persistentStoreCoordinator?.destroyPersistentStore(at: url, type: .postgreSQL)
    }
  }

  @Test func storesCanBeCopiedIntoAnAdministratorsSchema() throws {
    try CopyTrial.inFolder { folder in
      let file = folder.appendingPathComponent("store.sqlite")
      let contexts = try TestContexts(NSSQLiteStoreType, model(), at: file)
      let context = try contexts.context()
      _ = context.insert("Order", ["number": 1])
      try context.save()
      try withRole { url, _ in
        let copied = try CopyTrial.copy(file.path, url.absoluteString)
        #expect(copied.status == 0, "\(copied.errors)")
      }
    }
  }

  // MARK: Announcements

  private static var listening: [AnyHashable: Any] {
    [
      NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
      NSPersistentHistoryTrackingKey: true,
    ]
  }

  /// Runs `body` with what is signaled whenever the coordinator tells of a change.
  private func hearing(
    _ context: NSManagedObjectContext, _ body: (DispatchSemaphore) throws -> Void
  ) throws {
    let heard = DispatchSemaphore(value: 0)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: context.persistentStoreCoordinator,
      queue: nil
    ) { _ in heard.signal() }
    defer { NotificationCenter.default.removeObserver(observer) }
    try body(heard)
  }

  private func save(_ context: NSManagedObjectContext) throws {
    _ = context.insert("Tag", ["title": "a"])
    try context.save()
  }

  /// A role may have no further connection when the store is opened.
  @Test func announcementsComeAsSoonAsThereIsAConnection() throws {
    try withRole("CONNECTION LIMIT 1") { url, role in
      let context = try TestContexts(NSPostgreSQLStoreType, model(), at: url)
        .context(Self.listening)
      try hearing(context) { heard in
        try TestServer.execute("ALTER ROLE \(role) CONNECTION LIMIT -1")
        var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        parts.user = "momkit"
        let writer = try TestContexts(NSPostgreSQLStoreType, model(), at: parts.url)
          .context([NSPersistentHistoryTrackingKey: true])
        try save(writer)
        #expect(heard.wait(timeout: .now() + 10) == .success)
        usleep(1_500_000)
        while heard.wait(timeout: .now()) == .success {}
        try save(writer)
        #expect(heard.wait(timeout: .now() + 10) == .success)
      }
    }
  }

  @Test func announcementsFollowTheIdentifier() throws {
    let contexts = try TestContexts(NSPostgreSQLStoreType, model())
    let context = try contexts.context(Self.listening)
    try hearing(context) { heard in
      context.persistentStoreCoordinator?.persistentStores.first?.identifier = UUID().uuidString
      try save(context)
      let writer = try contexts.context([NSPersistentHistoryTrackingKey: true])
      usleep(1_000_000)
      while heard.wait(timeout: .now()) == .success {}
      try save(writer)
      #expect(heard.wait(timeout: .now() + 10) == .success)
    }
  }
}
