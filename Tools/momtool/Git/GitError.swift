/// An error in reading from a git repository.
struct GitError: Error, Hashable, Sendable {
  /// The kind of error.
  enum Code: String, Sendable {
    /// git itself can't be run.
    case gitNotFound
    /// The folder is not in a git repository.
    case notARepository
    /// The revision doesn't exist.
    case unknownRevision
    /// The path is not in the revision.
    case unknownPath
    /// An object is missing, or git's output can't be parsed.
    case unreadableObject
    /// The objects exceed the size limit.
    case tooLarge
    /// A git command failed for another reason.
    case commandFailed
  }

  /// The kind of error.
  let code: Code
  /// What went wrong and what to do, in one sentence.
  let message: String

  /// Creates an error.
  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension GitError: CustomStringConvertible {
  /// The message.
  var description: String { message }
}
