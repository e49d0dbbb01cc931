import Foundation
@_spi(Engines) import MomKit

/// The type of stores in PostgreSQL, under Core Data's older kind of name.
public let NSPostgreSQLStoreType = "PostgreSQL"

extension NSPersistentStore.StoreType {
  /// Tables in a PostgreSQL database.
  public static let postgreSQL = NSPersistentStore.StoreType(rawValue: NSPostgreSQLStoreType)
}

/// Stores in PostgreSQL databases, which many hosts can open at once.
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
/// The URL is libpq's: it may name host, port, user, database and all that libpq knows, and what it leaves out comes of
/// the environment (`PGPASSWORD`), `.pgpass` and service files. One parameter is ours: `schema`, the schema that the
/// tables are in.
///
/// `NSPersistentStoreTimeoutOption` says how long anything waits, a server that is being restarted included (30 seconds
/// where it isn't set), and `NSPersistentStoreConnectionPoolMaxSizeKey` how many connections the program's stores at one
/// URL have together (8).
public enum PostgreSQLStore {
  /// Key of errors: the five characters by which PostgreSQL names what happened; empty where the server said nothing.
  public static let sqlStateErrorKey = "MomKitPostgreSQLState"

  static let schemes = ["postgresql", "postgres"]

  /// Makes the type known to coordinators, and its URLs to descriptions of stores. Called once, when the program begins;
  /// more often does no harm.
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
