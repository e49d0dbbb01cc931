import Foundation
import MomKit

/// Where a store is, and how it is spoken to: what a URL and options say.
///
/// The URL is libpq's own (`postgresql://user@host:port/database?sslmode=verify-full`), with what libpq takes from the
/// environment, from `.pgpass` and from service files, and one more parameter: `schema`, the schema that the tables are
/// in. It is made when it isn't there.
struct PostgreSQLTarget: Hashable {
  /// What libpq is told.
  let connectionString: String
  /// The schema; nil for the one that the server puts first.
  let schema: String?
  /// How long a statement, a connection, a lock may take, in seconds.
  let timeout: Double
  /// How many connections there are at most.
  let connectionLimit: Int

  /// - Throws: ``NSPersistentStoreOpenError`` for a URL of another kind.
  init(_ url: URL?, options: [AnyHashable: Any]?) throws {
    guard let url, let scheme = url.scheme?.lowercased(), PostgreSQLStore.schemes.contains(scheme)
    else {
      throw NSError(
        domain: NSCocoaErrorDomain, code: NSPersistentStoreOpenError,
        userInfo: [
          NSLocalizedDescriptionKey:
            "A PostgreSQL store needs a URL such as postgresql://user@host/database."
        ])
    }
    let text = url.absoluteString
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var schema: String?
    var kept: [Substring] = []
    for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      if item.hasPrefix("schema=") {
        schema = String(item.dropFirst(7)).removingPercentEncoding
      } else {
        kept.append(item)
      }
    }
    connectionString =
      String(parts.first ?? "") + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    self.schema = schema.flatMap { $0.isEmpty ? nil : $0 }
    timeout = max(0.1, StoreOption.number(NSPersistentStoreTimeoutOption, in: options) ?? 30)
    let limit = StoreOption.number(NSPersistentStoreConnectionPoolMaxSizeKey, in: options) ?? 8
    connectionLimit = Int(min(max(2, limit), 1000))
  }

  /// The place as messages name it: without user and password.
  static func name(of url: URL) -> String {
    var name = "postgresql://\(url.host ?? "")"
    if let port = url.port { name += ":\(port)" }
    return name + url.path
  }
}

/// The values of options, as Swift's numbers or Foundation's.
enum StoreOption {
  static func number(_ key: String, in options: [AnyHashable: Any]?) -> Double? {
    switch options?[key] {
    case let flag as Bool: flag ? 1 : 0
    case let number as Double: number
    case let number as Int: Double(number)
    case let number as NSNumber: number.doubleValue
    default: nil
    }
  }

  static func isOn(_ key: String, in options: [AnyHashable: Any]?) -> Bool {
    number(key, in: options).map { $0 != 0 } ?? false
  }
}

/// A moment after which nothing is waited for.
struct Deadline {
  let seconds: Double
  private let end: ContinuousClock.Instant

  init(_ seconds: Double) {
    self.seconds = seconds
    end = .now + .seconds(seconds)
  }

  /// How many milliseconds remain.
  var milliseconds: Int32 {
    let left = ContinuousClock.now.duration(to: end)
    let (seconds, attoseconds) = left.components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
    return Int32(max(0, min(milliseconds.rounded(.up), Double(Int32.max))))
  }
}
