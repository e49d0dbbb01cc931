import Foundation

extension PostgreSQLStore {
  /// Returns the number of round trips made so far by the connection that a single thread uses for a URL.
  ///
  /// For benchmarks: a program with one thread always gets the same connection from the pool.
  package static func roundTrips(at url: URL, options: [AnyHashable: Any]? = nil) throws -> Int {
    let pool = ConnectionPool.of(try PostgreSQLTarget(url, options: options))
    let connection = try pool.take()
    defer { pool.recycle(connection) }
    return connection.roundTrips
  }
}
