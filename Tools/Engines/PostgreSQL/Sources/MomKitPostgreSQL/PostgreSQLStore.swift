import Foundation
@_spi(Engines) import MomKit

/// The PostgreSQL store type, as a string constant.
public let NSPostgreSQLStoreType = "PostgreSQL"

extension NSPersistentStore.StoreType {
  /// The PostgreSQL store type: tables in a PostgreSQL database.
  public static let postgreSQL = NSPersistentStore.StoreType(rawValue: NSPostgreSQLStoreType)
}

/// Support for stores in PostgreSQL databases, which many hosts can open at once.
///
/// ```swift
/// import MomKit
/// import MomKitPostgreSQL
///
/// PostgreSQLStore.register()
/// let url = URL(string: "postgresql://shop@db.example.com/shop?sslmode=verify-full&schema=shop")!
/// container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
/// ```
///
/// The URL is a libpq connection URI: it can specify host, port, user, database and every other parameter that libpq
/// supports. Parameters that it omits are taken from the environment (`PGPASSWORD`), `.pgpass` and service files.
/// MomKit adds one parameter: `schema`, the schema that contains the tables.
///
/// `NSPersistentStoreTimeoutOption` limits how long operations wait, including for a server that is restarting (the
/// default is 30 seconds). `NSPersistentStoreConnectionPoolMaxSizeKey` limits the number of connections that all
/// stores at the same URL share (the default is 8).
public enum PostgreSQLStore {
  /// The `userInfo` key for PostgreSQL's five-character SQLSTATE code; the value is empty if the error didn't come
  /// from the server.
  public static let sqlStateErrorKey = "MomKitPostgreSQLState"

  static let schemes = ["postgresql", "postgres"]

  /// Registers the store type with coordinators and its URL schemes with store descriptions. Call this once at
  /// launch; further calls have no effect.
  public static func register() {
    NSPersistentStoreCoordinator.registerEngine(
      PostgreSQLEngine.self, forStoreType: NSPostgreSQLStoreType, schemes: schemes)
  }

  static func error(_ code: Int, _ text: String, _ userInfo: [String: Any] = [:]) -> NSError {
    var userInfo = userInfo
    userInfo[NSLocalizedDescriptionKey] = text
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
  }
}
