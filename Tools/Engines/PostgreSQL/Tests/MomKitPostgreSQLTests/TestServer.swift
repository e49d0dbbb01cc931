import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// The server that `Tools/postgresql` started.
enum TestServer {
  /// Its URL; nil where there is none, and tests are skipped.
  static let address = ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL"]
  static let control = ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL_CONTROL"]
  /// How often the server is killed in tests of that.
  static let kills =
    ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL_KILLS"].flatMap { Int($0) } ?? 0
  static var isThere: Bool { address != nil }

  /// The URL of a schema that nobody else uses.
  static func url() throws -> URL {
    PostgreSQLStore.register()
    let name = "t" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    return try #require(URL(string: "\(address ?? "")?schema=\(name)"))
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

  /// A store of its own of some type, in a place of its own.
  init(_ type: String = NSPostgreSQLStoreType, _ model: NSManagedObjectModel) throws {
    (self.type, self.model) = (type, model)
    switch type {
    case NSPostgreSQLStoreType: url = try TestServer.url()
    default:
      url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "\(UUID().uuidString).sqlite")
    }
  }

  /// A context on a coordinator of its own, as of another program.
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
