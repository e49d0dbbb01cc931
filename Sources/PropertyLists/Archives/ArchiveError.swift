/// What is wrong with a keyed archive, and where.
///
/// The location consists of the object's number in `$objects`, the key under which the fault was found, and the byte
/// offset in the file, as far as each is known:
///
/// ```
/// object 12, key 'NSProperties', byte 340: expected a dictionary, found a string
/// ```
public struct ArchiveError: Error, Hashable, Sendable {
  /// The kind of fault, for use in code.
  public enum Code: String, Hashable, Sendable {
    /// The underlying property list is malformed; see the message.
    case malformedPropertyList
    /// The property list is not a keyed archive.
    case notAnArchive
    /// A reference, class or object of the archive cannot be read.
    case malformedArchive
    /// A key's value is not of the type that the class's coding requires.
    case typeMismatch
    /// A required key is missing.
    case valueNotFound
    /// An object's class is not on the list of classes that may be decoded.
    case classNotAllowed
    /// A value that cannot contain itself does, such as an array inside itself.
    case cycle
    /// A limit of ``ArchiveLimits`` was exceeded.
    case limitExceeded
    /// The objects can be read but violate a rule of what they describe.
    case invalidContent
    /// A file could not be read or written.
    case unreadableFile
  }

  /// The kind of fault.
  public var code: Code
  /// What is wrong and, where it helps, what to do about it.
  public var message: String
  /// The object's number in `$objects`.
  public var object: Int?
  /// The key within that object.
  public var key: String?
  /// The byte offset in the file.
  public var offset: Int?

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, object: Int? = nil, key: String? = nil, offset: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.object = object
    self.key = key
    self.offset = offset
  }

  /// Converts an error of the property list reader.
  ///
  /// Its object number refers to the property list's object table, not to the archive's objects, so it becomes part of
  /// the message.
  public init(_ error: PropertyListError) {
    let code: Code =
      switch error.code {
      case .limitExceeded: .limitExceeded
      case .unreadableFile: .unreadableFile
      default: .malformedPropertyList
      }
    let message = error.object.map { "property list object \($0): \(error.message)" }
    self.init(code, message ?? error.message, offset: error.offset)
  }
}

extension ArchiveError: CustomStringConvertible {
  /// The location, followed by the message.
  public var description: String {
    let place = [
      object.map { "object \($0)" }, key.map { "key '\($0)'" }, offset.map { "byte \($0)" },
    ].compactMap { $0 }
    return place.isEmpty ? message : place.joined(separator: ", ") + ": " + message
  }
}
