import ArgumentParser
import Foundation
import PropertyLists

/// A message about an input, with its location.
///
/// Its description has the format of compiler diagnostics, so that editors and build systems recognize the location:
/// `Shop.mom[object 12]: error: an entity without a name`.
struct Diagnostic: Error, CustomStringConvertible {
  /// The severity of a diagnostic.
  enum Severity: String {
    case error, warning
  }

  /// The input as given by the user; `nil` when it concerns the tool itself.
  var path: String?
  /// The location in the input, such as `[object 12]` or `:17:5`.
  var place = ""
  var severity = Severity.error
  var message: String
  /// The column in a condition, starting from 1.
  var column: Int?
  /// Further lines, each after a line break: the condition with the column marked, or more messages.
  var excerpt = ""

  init(_ message: String, path: String? = nil, place: String = "") {
    self.message = message
    self.path = path
    self.place = place
  }

  /// Creates an error in a condition, whose place is shown below the message.
  init(_ message: String, path: String, column: Int?, in condition: String) {
    self.init(message, path: path)
    self.column = column
    excerpt = PredicateArguments.pointer(column, in: condition)
  }

  /// Creates a warning, which doesn't stop the command.
  init(warning message: String, path: String? = nil) {
    self.init(message, path: path)
    severity = .warning
  }

  /// One line, besides those of the excerpt: names and paths of files can't begin a line of their own, which a
  /// service such as GitHub's would take for a command, nor control a terminal.
  var description: String {
    DisplayText.bare("\(path ?? "momtool")\(place): \(severity.rawValue): \(message)") + excerpt
  }
}

/// The exit statuses of momtool, besides 0 for success and 64 for an invalid command line.
enum ExitStatus {
  /// There are differences or findings.
  static let findings = ExitCode(1)
  /// The command was interrupted by a signal; the value follows the convention of shells.
  static var interrupted: ExitCode { ExitCode(128 + (EndingSignals.received ?? SIGINT)) }
  /// An input can't be read or an output can't be written.
  static let trouble = ExitCode(2)
}
