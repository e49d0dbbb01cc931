import Foundation
import MomKit
import Testing

@testable import MomKitPostgreSQL

/// The server that `Tools/postgresql` started.
enum TestServer {
  /// The server's URL, or nil if there is none; tests are then skipped.
  static let address = ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL"]
  static let control = ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL_CONTROL"]
  /// The number of times that tests kill the server.
  static let kills =
    ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL_KILLS"].flatMap { Int($0) } ?? 0
  static var isThere: Bool { address != nil }

  /// Returns the URL of a schema that nobody else uses.
  static func url() throws -> URL {
    PostgreSQLStore.register()
    let name = "t" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    return try #require(URL(string: "\(address ?? "")?schema=\(name)"))
  }

  /// Returns the URL of a new store in another database, or of another user.
  static func url(database: String = "postgres", user: String = "momkit") throws -> URL {
    var parts = try #require(URLComponents(url: try url(), resolvingAgainstBaseURL: false))
    (parts.path, parts.user) = ("/\(database)", user)
    return try #require(parts.url)
  }

  /// Does what another program does, in a store's schema.
  static func execute(_ sql: String, at url: URL? = nil) throws {
    let connection = try PostgreSQLConnection(PostgreSQLTarget(try url ?? self.url(), options: nil))
    defer { connection.close() }
    try connection.execute(sql)
  }

  /// Returns the first column of a query's rows, as text.
  static func texts(_ sql: String, at url: URL) throws -> [String] {
    let connection = try PostgreSQLConnection(PostgreSQLTarget(url, options: nil))
    defer { connection.close() }
    var texts: [String] = []
    try connection.run(PostgreSQLConnection.Statement(sql)) { texts.append($0.text(0)) }
    return texts
  }

  /// Starts, stops or kills the server.
  static func run(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(control))
    process.arguments = [command]
    try process.run()
    process.waitUntilExit()
  }
}

/// Contexts on stores.
struct TestContexts {
  let url: URL
  let type: String
  let model: NSManagedObjectModel

  /// Creates a new store of the given type in a location of its own, unless one is given.
  init(
    _ type: String = NSPostgreSQLStoreType, _ model: NSManagedObjectModel, at place: URL? = nil
  ) throws {
    (self.type, self.model) = (type, model)
    if let place {
      url = place
      return
    }
    switch type {
    case NSPostgreSQLStoreType: url = try TestServer.url()
    default:
      url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "\(UUID().uuidString).sqlite")
    }
  }

  /// Returns a context with its own coordinator, as in another program.
  func context(_ options: [AnyHashable: Any]? = nil) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: type == NSInMemoryStoreType ? nil : url,
      options: options)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }
}

extension NSManagedObjectContext {
  func insert(_ entity: String, _ values: [String: Any?] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  func all(
    _ entity: String, _ predicate: NSPredicate? = nil, sortedBy key: String? = nil
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = predicate
    request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
    return try fetch(request)
  }
}
