/// Why something could not be had from a git repository.
struct GitError: Error, Hashable, Sendable {
  /// What sort of trouble it is.
  enum Code: String, Sendable {
    /// git itself can't be run.
    case gitNotFound
    /// The folder is in no git repository.
    case notARepository
    /// The revision names nothing.
    case unknownRevision
    /// The path is not in the revision.
    case unknownPath
    /// An object is missing, or git's answer can't be understood.
    case unreadableObject
    /// The objects are more than the limit allows.
    case tooLarge
    /// A git command failed for another reason.
    case commandFailed
  }

  /// What sort of trouble it is.
  let code: Code
  /// What went wrong and what to do, in one sentence.
  let message: String

  /// Makes an error.
  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension GitError: CustomStringConvertible {
  /// The text that is shown.
  var description: String { message }
}
