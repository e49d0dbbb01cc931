import Foundation

/// What Core Data writes to the log without failing: here to standard error, in its words as far as they are known.
enum CoreDataLog {
  static func error(_ message: String) { write("CoreData: error: \(message)") }

  static func warning(_ message: String) { write("CoreData: warning: \(message)") }

  private static func write(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }
}
