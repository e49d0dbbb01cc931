import Foundation

/// The way of diagnostics to standard error.
enum Diagnostics {
  /// Prints one line on standard error.
  static func report(_ diagnostic: Diagnostic) {
    FileHandle.standardError.write(Data((diagnostic.description + "\n").utf8))
  }

  /// Prints any error on standard error, naming the input it is about.
  static func report(_ error: any Error, path: String? = nil) {
    report(diagnostic(for: error, path: path))
  }

  /// Puts an error of a library in the tool's form.
  static func diagnostic(for error: any Error, path: String?) -> Diagnostic {
    switch error {
    case let diagnostic as Diagnostic: diagnostic
    default: Diagnostic("\(error)", path: path)
    }
  }
}
