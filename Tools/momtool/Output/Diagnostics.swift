import DataModels
import Foundation
import ModelSource
import PropertyLists

/// The way of diagnostics to standard error.
enum Diagnostics {
  /// Prints one line on standard error.
  static func report(_ diagnostic: Diagnostic) {
    print(diagnostic.description)
  }

  /// Prints what is said about a source on standard error.
  static func report(_ diagnostic: SourceDiagnostic) {
    print(diagnostic.description)
  }

  private static func print(_ text: String) {
    writeAsFarAsPossible(text + "\n")
  }

  /// Writes to standard error. Where nobody can be told, as on a full disk or behind a closed pipe, the work goes on.
  static func writeAsFarAsPossible(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Prints any error on standard error, naming the input it is about.
  static func report(_ error: any Error, path: String? = nil) {
    for message in messages(for: error, path: path) { print(message) }
  }

  /// The lines that tell of an error: one, unless a source has several.
  static func messages(for error: any Error, path: String?) -> [String] {
    if let error = error as? ModelSourceError { return error.diagnostics.map(\.description) }
    return [diagnostic(for: error, path: path).description]
  }

  /// Puts an error of a library in the tool's form.
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

  /// What Foundation or Core Data say of an error, for people: its sentence, and what lies under it.
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

  /// What the system says, where an error is of the file system: Foundation's words leave out why.
  private static func systemReason(_ error: NSError) -> String? {
    if error.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(error.code))) }
    guard error.domain == NSCocoaErrorDomain, (4...1024).contains(error.code),
      let under = error.userInfo[NSUnderlyingErrorKey] as? NSError
    else { return nil }
    return systemReason(under)
  }

  /// A place in an archive: the object where it is known, else the byte.
  private static func place(object: Int?, offset: Int?) -> String {
    if let object { return "[object \(object)]" }
    return offset.map { "[byte \($0)]" } ?? ""
  }
}
