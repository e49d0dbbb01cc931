import Foundation
@_spi(Engines) import MomKit
import Synchronization

/// Identifies a row: keys are unique within an entity hierarchy.
struct Place: Hashable {
  let hierarchy: String
  let key: Int64
}

extension Place {
  init(_ row: RowChange) { self.init(hierarchy: row.layout.root.name, key: row.key) }
}

/// A row's values by name, because clients may have different models.
struct Row {
  /// A value of a row.
  enum Value {
    case object(Any)
    case row(entity: String, key: Int64)
  }

  let entity: String
  var version: Int64 = 0
  var values: [String: Value] = [:]

  init(entity: String) { self.entity = entity }
}

/// The contents that clients share.
final class Database: @unchecked Sendable {
  // Sendable: the contents are accessed only under the lock.
  struct Contents {
    var metadata: [String: Any] = [:]
    var rows: [Place: Row] = [:]
    var lastKeys: [String: Int64] = [:]
  }

  let identifier = UUID().uuidString
  private let lock = NSLock()
  private var contents = Contents()

  func locked<Result>(_ body: (inout Contents) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&contents) }
  }

  private static let databases = Mutex<[String: Database]>([:])

  /// Returns the database for a URL, creating it on first use.
  static func at(_ url: URL?) -> Database {
    databases.withLock { databases in
      let name = url?.absoluteString ?? ""
      let database = databases[name] ?? Database()
      databases[name] = database
      return database
    }
  }
}
