import DataModels
import Foundation
import ModelSource
import PropertyLists

/// Writes diagnostics to standard error.
enum Diagnostics {
  /// Prints a diagnostic on standard error.
  static func report(_ diagnostic: Diagnostic) {
    print(hinted(diagnostic).description)
  }

  /// The diagnostic with what is known about files like its.
  static func hinted(_ diagnostic: Diagnostic) -> Diagnostic {
    guard diagnostic.severity == .error else { return diagnostic }
    var diagnostic = diagnostic
    if !diagnostic.message.hasSuffix(LargeFilePointer.advice) {
      diagnostic.message += LargeFilePointer.hint(diagnostic.path)
    }
    return diagnostic
  }

  /// Prints a diagnostic about a source on standard error.
  static func report(_ diagnostic: SourceDiagnostic) {
    print(diagnostic.description)
  }

  private static func print(_ text: String) {
    writeAsFarAsPossible(text + "\n")
  }

  /// Writes to standard error, ignoring failures such as a full disk or a closed pipe.
  static func writeAsFarAsPossible(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Prints any error on standard error, naming the input concerned.
  static func report(_ error: any Error, path: String? = nil) {
    for message in messages(for: error, path: path) { print(message) }
  }

  /// The lines that describe an error: one, unless a source has several.
  static func messages(for error: any Error, path: String?) -> [String] {
    if let error = error as? ModelSourceError {
      return error.diagnostics.map(\.description)
    }
    return [hinted(diagnostic(for: error, path: path)).description]
  }

  /// Converts a library's error to a diagnostic.
  static func diagnostic(for error: any Error, path: String?) -> Diagnostic {
    switch error {
    case let diagnostic as Diagnostic: diagnostic
    case let error as ModelFileError:
      Diagnostic(
        error.key.map { "key '\($0)': \(error.message)" } ?? error.message,
        path: error.path ?? path, place: place(object: error.object, offset: error.offset))
    case let error as PropertyListError:
      Diagnostic(
        error.message, path: path, place: place(object: error.object, offset: error.offset))
    case let error as ArchiveError:
      Diagnostic(
        error.key.map { "key '\($0)': \(error.message)" } ?? error.message,
        path: path, place: place(object: error.object, offset: error.offset))
    case let error as CocoaError: Diagnostic(sentence(error as NSError), path: path)
    case let error where type(of: error) == NSError.self:
      Diagnostic(sentence(error as NSError), path: path)
    default: Diagnostic("\(error)", path: path)
    }
  }

  /// The description of an error of Foundation or Core Data: its sentence, and the underlying error.
  static func sentence(_ error: NSError) -> String {
    if let reason = systemReason(error) {
      let path =
        error.userInfo[NSFilePathErrorKey] as? String
        ?? (error.userInfo[NSURLErrorKey] as? URL)?.relativePath
      return path.map { "'\($0)': \(reason)" } ?? reason
    }
    let text = error.localizedDescription
    guard let under = error.userInfo[NSUnderlyingErrorKey] as? NSError,
      under.localizedDescription != text
    else { return text }
    return "\(text) (\(under.localizedDescription))"
  }

  /// The system's message for a file system error, since Foundation's message omits the reason.
  private static func systemReason(_ error: NSError) -> String? {
    if error.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(error.code))) }
    guard error.domain == NSCocoaErrorDomain, (4...1024).contains(error.code),
      let under = error.userInfo[NSUnderlyingErrorKey] as? NSError
    else { return nil }
    return systemReason(under)
  }

  /// A location in an archive: the object if known, otherwise the byte.
  private static func place(object: Int?, offset: Int?) -> String {
    if let object { return "[object \(object)]" }
    return offset.map { "[byte \($0)]" } ?? ""
  }
}
