import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Lightweight migrations of a PostgreSQL store and a SQLite store with the same objects, whose results must be equal.
enum MigrationTrial {
  /// The options of a lightweight migration.
  static var options: [AnyHashable: Any] {
    [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
  }

  /// Fills and migrates stores of both types.
  ///
  /// - Returns: the lines that describe the SQLite store after the migration, or one line with the error's code if the
  ///   store can't be migrated; those of the PostgreSQL store must be equal.
  @discardableResult static func run(
    from old: () -> NSManagedObjectModel, to new: () -> NSManagedObjectModel,
    options more: [AnyHashable: Any] = [:],
    fill: (NSManagedObjectContext) throws -> Void,
    describe: (NSManagedObjectContext) throws -> [String]
  ) throws -> [String] {
    func lines(_ type: String) throws -> [String] {
      let before = try TestContexts(type, old())
      try fill(before.context(more))
      let context: NSManagedObjectContext
      do {
        context = try TestContexts(type, new(), at: before.url).context(
          options.merging(more) { $1 })
      } catch { return ["refused: \((error as NSError).code)"] }
      return try describe(context)
    }
    let (expected, found) = (try lines(NSSQLiteStoreType), try lines(NSPostgreSQLStoreType))
    #expect(found == expected)
    return expected
  }
}
