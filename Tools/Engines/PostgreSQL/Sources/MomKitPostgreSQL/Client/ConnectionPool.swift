import Foundation
import Synchronization

/// A pool of connections to one target, shared by all stores in the program that use this target.
final class ConnectionPool: @unchecked Sendable {
  // Sendable: mutable state is accessed only while holding the condition.
  let target: PostgreSQLTarget
  private let condition = NSCondition()
  private var idle: [PostgreSQLConnection] = []
  private var count = 0

  private init(_ target: PostgreSQLTarget) { self.target = target }

  private struct Reference: @unchecked Sendable { weak var pool: ConnectionPool? }
  private static let pools = Mutex<[PostgreSQLTarget: Reference]>([:])

  /// Returns the shared pool for a target.
  static func of(_ target: PostgreSQLTarget) -> ConnectionPool {
    pools.withLock { pools in
      if let pool = pools[target]?.pool { return pool }
      pools = pools.filter { $0.value.pool != nil }
      let pool = ConnectionPool(target)
      pools[target] = Reference(pool: pool)
      return pool
    }
  }

  /// Takes a connection from the pool, waiting if all are in use.
  func take() throws(PostgreSQLError) -> PostgreSQLConnection {
    let end = Date(timeIntervalSinceNow: target.timeout)
    condition.lock()
    while true {
      if let connection = idle.popLast() {
        if connection.isUsable, (try? connection.tidy()) != nil {
          condition.unlock()
          return connection
        }
        connection.close()
        count -= 1
        continue
      }
      if count < target.connectionLimit {
        count += 1
        condition.unlock()
        return try connect()
      }
      guard condition.wait(until: end) else {
        condition.unlock()
        throw .timeout(
          "Waiting for one of the \(target.connectionLimit) connections", after: target.timeout)
      }
    }
  }

  private func connect() throws(PostgreSQLError) -> PostgreSQLConnection {
    do throws(PostgreSQLError) { return try PostgreSQLConnection(target) } catch {
      condition.withLock {
        count -= 1
        condition.signal()
      }
      throw error
    }
  }

  /// Returns a connection to the pool.
  func recycle(_ connection: PostgreSQLConnection) {
    condition.withLock {
      if connection.isUsable {
        idle.append(connection)
      } else {
        connection.close()
        count -= 1
      }
      condition.signal()
    }
  }

  /// Closes all idle connections.
  func closeIdle() {
    condition.withLock {
      for connection in idle { connection.close() }
      count -= idle.count
      idle = []
    }
  }
}
