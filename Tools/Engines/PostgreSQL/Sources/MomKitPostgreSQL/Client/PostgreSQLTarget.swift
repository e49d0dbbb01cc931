import Foundation
import MomKit

/// The location of a store and how to connect to it, from its URL and options.
///
/// The URL is a libpq connection URI (`postgresql://user@host:port/database?sslmode=verify-full`). libpq's
/// environment variables, `.pgpass` and service files apply. One more parameter is supported: `schema`, the schema
/// that contains the tables. It is created if it doesn't exist.
struct PostgreSQLTarget: Hashable {
  /// The connection string passed to libpq.
  let connectionString: String
  /// The schema, or nil for the first one in the server's search path.
  let schema: String?
  /// The timeout for connecting, for each statement and for locks, in seconds.
  let timeout: Double
  /// The maximum number of connections.
  let connectionLimit: Int

  /// The longest timeout, in seconds. The server and libpq count milliseconds in 32 bits, and a transaction may be idle
  /// four times as long.
  private static let longestTimeout = 500_000.0
  /// The length at which the server truncates names, in bytes.
  static let longestName = 63

  /// - Throws: ``NSPersistentStoreOpenError`` if the URL isn't a PostgreSQL URL, or is one that libpq or the server would
  ///   understand in another way.
  init(_ url: URL?, options: [AnyHashable: Any]?) throws {
    guard let url, let scheme = url.scheme?.lowercased(), PostgreSQLStore.schemes.contains(scheme)
    else {
      throw Self.refusal("A PostgreSQL store needs a URL such as postgresql://user@host/database.")
    }
    let text = url.absoluteString
    try Self.check(text)
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var schema: String?
    var kept: [Substring] = []
    for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
      if item.hasPrefix("schema=") {
        // Without a name, the store would be in another schema.
        guard let name = String(item.dropFirst(7)).removingPercentEncoding else {
          throw Self.refusal("The URL's schema isn't UTF-8: write its name percent-encoded.")
        }
        schema = name
      } else {
        kept.append(item)
      }
    }
    connectionString =
      String(parts.first ?? "") + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    if let schema, schema.utf8.count > Self.longestName {
      throw Self.refusal(
        "The URL's schema '\(schema)' is \(schema.utf8.count) bytes long, of which PostgreSQL would ignore "
          + "all but \(Self.longestName): choose a shorter name.")
    }
    self.schema = schema.flatMap { $0.isEmpty ? nil : $0 }
    let seconds = StoreOption.number(NSPersistentStoreTimeoutOption, in: options) ?? 30
    timeout = seconds.isNaN ? 30 : min(max(0.1, seconds), Self.longestTimeout)
    let limit = StoreOption.number(NSPersistentStoreConnectionPoolMaxSizeKey, in: options) ?? 8
    connectionLimit = Int(min(max(2, limit), 1000))
  }

  /// Refuses what libpq would refuse with a message that quotes it, which may be a part of a password.
  private static func check(_ url: String) throws {
    guard url.firstMatch(of: /%(?![0-9A-Fa-f]{2})/) == nil else {
      throw refusal("The URL has a % without two hexadecimal digits: write it as %25.")
    }
    guard !url.contains("%00") else {
      throw refusal("The URL contains %00, and PostgreSQL has no names or passwords with NUL.")
    }
    let rest = url.drop { $0 != "/" }.drop { $0 == "/" }
    guard rest.prefix(while: { !"/?#".contains($0) }).count(where: { $0 == "@" }) <= 1 else {
      throw refusal("The URL's user or password contains @: write it as %40.")
    }
  }

  private static func refusal(_ text: String) -> NSError {
    PostgreSQLStore.error(NSPersistentStoreOpenError, text)
  }

  /// Returns the location for use in messages: without user and password.
  static func name(of url: URL) -> String {
    var name = "postgresql://\(url.host ?? "")"
    if let port = url.port { name += ":\(port)" }
    return name + url.path
  }
}

/// Reads option values, given as Swift's numbers or Foundation's.
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

/// A point in time after which operations time out.
struct Deadline {
  let seconds: Double
  private let end: ContinuousClock.Instant

  init(_ seconds: Double) {
    self.seconds = seconds
    end = .now + .seconds(seconds)
  }

  /// The number of milliseconds left.
  var milliseconds: Int32 {
    let left = ContinuousClock.now.duration(to: end)
    let (seconds, attoseconds) = left.components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
    return Int32(max(0, min(milliseconds.rounded(.up), Double(Int32.max))))
  }
}
