import Foundation
@_spi(Engines) import MomKit
import Synchronization

/// Which row: keys are counted by hierarchy.
struct Place: Hashable {
  let hierarchy: String
  let key: Int64
}

extension Place {
  init(_ row: RowChange) { self.init(hierarchy: row.layout.root.name, key: row.key) }
}

/// A row, by names: clients may have models of their own.
struct Row {
  /// What a row has under a name.
  enum Value {
    case object(Any)
    case row(entity: String, key: Int64)
  }

  let entity: String
  var version: Int64 = 0
  var values: [String: Value] = [:]

  init(entity: String) { self.entity = entity }
}

/// What the clients share.
final class Database: @unchecked Sendable {
  // Safe to share: the contents are used under the lock alone.
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

  /// The database of a URL, made the first time.
  static func at(_ url: URL?) -> Database {
    databases.withLock { databases in
      let name = url?.absoluteString ?? ""
      let database = databases[name] ?? Database()
      databases[name] = database
      return database
    }
  }
}
