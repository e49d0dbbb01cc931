import Foundation
import MomKit

/// An error reported by the server or the connection.
struct PostgreSQLError: Error, CustomStringConvertible {
  /// The five-character SQLSTATE code, or an empty string if the error didn't come from the server.
  let state: String
  /// A message for people. It never contains a password.
  let message: String
  /// The name of the constraint that was violated.
  var constraint: String?
  /// Whether no further attempt to connect can succeed, as far as the server didn't say so by its SQLSTATE.
  var isFinal = false

  var description: String { state.isEmpty ? message : "\(message) (SQLSTATE \(state))" }

  /// Whether the connection was lost or couldn't be opened, as opposed to a statement being rejected.
  var isLostConnection: Bool {
    state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state)
  }
  /// Whether another connection may succeed where one was lost: if the server is starting or has restarted, but not if
  /// it refuses the user, or its URL makes no sense.
  var mayRecover: Bool { !isFinal }
  /// Whether retrying may succeed.
  var isTransient: Bool { state == "40001" || state == "40P01" || isStale }
  /// Whether a prepared statement has become invalid because tables were migrated.
  var isStale: Bool { state == "0A000" || state == "26000" }
  /// Whether a uniqueness constraint was violated.
  var isUniqueViolation: Bool { state == "23505" || state == "23P01" }
  /// Whether a foreign key constraint was violated.
  var isForeignKeyViolation: Bool { state == "23503" }
  /// Whether values couldn't be computed or converted.
  var isDataException: Bool { state.hasPrefix("22") }
  /// Whether the server can't compute a query that can be evaluated in memory: because of its values, or its size.
  var exceedsServer: Bool { isDataException || state.hasPrefix("54") }
  /// Whether a timeout expired.
  var isTimeout: Bool { state == "57014" || state == "55P03" || state == Self.timeoutState }

  /// The SQLSTATE code of MomKit's own timeout errors.
  static let timeoutState = "MKTIM"

  /// Returns an error for a failure of the connection itself.
  static func lost(_ message: String) -> PostgreSQLError {
    PostgreSQLError(state: "", message: message)
  }

  static func timeout(_ what: String, after seconds: Double) -> PostgreSQLError {
    PostgreSQLError(state: timeoutState, message: "\(what) took longer than \(seconds) seconds")
  }

  /// Returns the Core Data error with the given code, or with a more specific one.
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

  /// Returns the text with anything that may be a password removed: libpq quotes URLs and parts of them that it can't
  /// parse.
  static func redacted(_ text: String) -> String {
    var text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    while let start = text.range(of: "://"),
      let end = text.range(of: "@", range: start.upperBound..<text.endIndex)
    {
      text.replaceSubrange(start.lowerBound..<end.upperBound, with: ":…")
    }
    if let start = text.range(of: "password=") { text.removeSubrange(start.lowerBound...) }
    if let start = text.range(of: "percent-encoded") {
      text.replaceSubrange(start.upperBound..., with: " …")
    }
    return text
  }
}
