import Foundation
import MomKit

/// What a server, or the way to it, refused.
struct PostgreSQLError: Error, CustomStringConvertible {
  /// The five characters of the SQL standard that say what it is; empty where no server said anything.
  let state: String
  /// What happened, for people. No password is in it.
  let message: String
  /// The constraint that was broken.
  var constraint: String?

  var description: String { state.isEmpty ? message : "\(message) (SQLSTATE \(state))" }

  /// Whether the connection is gone, or couldn't be made: the statement wasn't refused.
  var isLostConnection: Bool {
    state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state)
  }
  /// Whether the same may succeed if it is tried again.
  var isTransient: Bool { state == "40001" || state == "40P01" || isStale }
  /// Whether a prepared statement is of no use any more: tables were migrated meanwhile.
  var isStale: Bool { state == "0A000" || state == "26000" }
  /// Whether values that must be unique weren't.
  var isUniqueViolation: Bool { state == "23505" || state == "23P01" }
  /// Whether a row leads to one that isn't there.
  var isForeignKeyViolation: Bool { state == "23503" }
  /// Whether values couldn't be computed or converted.
  var isDataException: Bool { state.hasPrefix("22") }
  /// Whether it took too long.
  var isTimeout: Bool { state == "57014" || state == "55P03" || state == Self.timeoutState }

  /// The state of errors of our own about time.
  static let timeoutState = "MKTIM"

  /// An error of the connection itself.
  static func lost(_ message: String) -> PostgreSQLError {
    PostgreSQLError(state: "", message: message)
  }

  static func timeout(_ what: String, after seconds: Double) -> PostgreSQLError {
    PostgreSQLError(state: timeoutState, message: "\(what) took longer than \(seconds) seconds")
  }

  /// The same as Core Data's error of a code, or of a nearer one.
  func cocoaError(_ code: Int) -> NSError {
    let code =
      switch state {
      case _ where isTimeout: NSPersistentStoreTimeoutError
      case _ where isUniqueViolation: NSManagedObjectConstraintMergeError
      case _ where isForeignKeyViolation: NSManagedObjectReferentialIntegrityError
      case "23502": NSValidationMissingMandatoryPropertyError
      case "23514": NSManagedObjectValidationError
      default: code
      }
    return NSError(
      domain: NSCocoaErrorDomain, code: code,
      userInfo: [
        NSLocalizedDescriptionKey: "PostgreSQL: \(description)",
        PostgreSQLStore.sqlStateErrorKey: state,
      ])
  }

  /// A text without what may be a password in it: libpq tells of a URL it can't read by showing it.
  static func redacted(_ text: String) -> String {
    var text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    while let start = text.range(of: "://"),
      let end = text.range(of: "@", range: start.upperBound..<text.endIndex)
    {
      text.replaceSubrange(start.lowerBound..<end.upperBound, with: ":…")
    }
    if let start = text.range(of: "password=") { text.removeSubrange(start.lowerBound...) }
    return text
  }
}
