/// What is wrong with a keyed archive, and where.
///
/// The place is the number of an object in `$objects`, the key under which it was found, and the
/// byte offset in the file, as far as they are known:
///
/// ```
/// object 12, key 'NSProperties', byte 340: expected a dictionary, found a string
/// ```
public struct ArchiveError: Error, Hashable, Sendable {
  /// The kind of fault, for programs.
  public enum Code: String, Hashable, Sendable {
    /// The property list under the archive is not sound: see the message.
    case malformedPropertyList
    /// The property list is no keyed archive.
    case notAnArchive
    /// A reference, class or object of the archive cannot be read.
    case malformedArchive
    /// A key has a value of another type than the class's coding says.
    case typeMismatch
    /// A key that must be there is missing.
    case valueNotFound
    /// An object's class is not among those that may be decoded.
    case classNotAllowed
    /// Values that cannot hold themselves do: an array in itself, say.
    case cycle
    /// A limit of ``ArchiveLimits`` was passed.
    case limitExceeded
    /// The objects are no sound thing of their kind: a rule of what they describe is broken.
    case invalidContent
    /// A file could not be read or written.
    case unreadableFile
  }

  /// The kind of fault.
  public var code: Code
  /// What is wrong, and where it helps, what to do.
  public var message: String
  /// The number of the object in `$objects`.
  public var object: Int?
  /// The key of that object.
  public var key: String?
  /// The byte offset in the file.
  public var offset: Int?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, object: Int? = nil, key: String? = nil, offset: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.object = object
    self.key = key
    self.offset = offset
  }

  /// Takes over an error of the property list's reader.
  ///
  /// Its object number counts objects of the list, not of the archive, and goes into the message.
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
  /// The place, then the message.
  public var description: String {
    let place = [
      object.map { "object \($0)" }, key.map { "key '\($0)'" }, offset.map { "byte \($0)" },
    ].compactMap { $0 }
    return place.isEmpty ? message : place.joined(separator: ", ") + ": " + message
  }
}
