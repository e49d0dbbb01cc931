import ArgumentParser
import Foundation
import PropertyLists

/// What the tool tells about an input: where, and what.
///
/// Printed as compilers print theirs, so that editors and build systems find the place:
/// `Shop.mom[object 12]: error: an entity without a name`.
struct Diagnostic: Error, CustomStringConvertible {
  /// How bad it is.
  enum Severity: String {
    case error, warning
  }

  /// The input as the user named it; `nil` when it is about the tool itself.
  var path: String?
  /// The place in the input, such as `[object 12]` or `:17:5`.
  var place = ""
  var severity = Severity.error
  var message: String

  init(_ message: String, path: String? = nil, place: String = "") {
    self.message = message
    self.path = path
    self.place = place
  }

  /// Something that doesn't stop the command.
  init(warning message: String, path: String? = nil) {
    self.init(message, path: path)
    severity = .warning
  }

  var description: String {
    "\(path ?? "momtool")\(place): \(severity.rawValue): \(message)"
  }
}

/// The statuses that momtool ends with, besides 0 for success and 64 for a wrong command line.
enum ExitStatus {
  /// Something differs, or something was found.
  static let findings = ExitCode(1)
  /// A signal broke the command off: as shells tell of it.
  static var interrupted: ExitCode { ExitCode(128 + (EndingSignals.received ?? SIGINT)) }
  /// An input can't be read or an output can't be written.
  static let trouble = ExitCode(2)
}
