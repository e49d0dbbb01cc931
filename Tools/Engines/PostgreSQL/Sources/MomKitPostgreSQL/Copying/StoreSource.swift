import DataModels
import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// A PostgreSQL store that is copied: all of it as of one moment, under the model that is stored beside it.
package enum StoreSource {
  /// Runs `body` with the store's contents, in a transaction that only reads.
  package static func read<Result>(
    _ url: URL, _ body: (StoreReading, NSManagedObjectModel) throws -> Result
  ) throws -> Result {
    let pool = ConnectionPool.of(try PostgreSQLTarget(url, options: nil))
    do {
      let connection = try pool.take()
      defer {
        try? connection.execute("ROLLBACK")
        pool.recycle(connection)
      }
      return try connection.withoutTimeouts {
        try connection.execute(
          "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \(PostgreSQLConnection.noTimeouts)")
        guard let record = try StoreRecord.read(connection) else {
          throw PostgreSQLStore.error(
            NSPersistentStoreOpenError, "There is no store at \(PostgreSQLTarget.name(of: url)).")
        }
        let model = try record.storedModel()
        let hashes = record.metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
        let opening = StoreOpening(url: url, model: model, entityNames: Set(hashes.keys))
        let engine = PostgreSQLEngine(
          opening, record, pool,
          RelationalSchema(model: model, entityNames: opening.entityNames),
          place: PostgreSQLTarget.name(of: url), isReadOnly: true, history: HistoryState())
        engine.batchConnection = connection
        defer { engine.batchConnection = nil }
        return try body(StoreReading(engine, opening.layouts), model)
      }
    } catch let error as PostgreSQLError {
      throw error.cocoaError(NSPersistentStoreOpenError)
    }
  }
}
