import Foundation
import PropertyLists

/// Why a model file, bundle or store can't be read or written: which file, where in it, and what to
/// do.
///
/// ```swift
/// do {
///   let model = try NSManagedObjectModel(loading: "Shop.momd")
/// } catch {
///   print(error)  // Shop.momd/Shop 2.mom[object 12, key 'NSProperties']: expected a dictionary, …
/// }
/// ```
public struct ModelFileError: Error, Hashable, Sendable {
  /// The kind of fault, for programs.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name, as machine-readable output shows it.
    public let rawValue: String

    /// Makes the code of this name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// There is no such file.
    public static let notFound = Code(rawValue: "not-found")
    /// The file is there and can't be read.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The file can't be written.
    public static let unwritable = Code(rawValue: "unwritable")
    /// The file is of none of the kinds that hold models.
    public static let unknownKind = Code(rawValue: "unknown-kind")
    /// The file's bytes are damaged, or are no model.
    public static let malformed = Code(rawValue: "malformed")
    /// A limit was passed.
    public static let limitExceeded = Code(rawValue: "limit-exceeded")
    /// A folder, bundle or store without a model.
    public static let noModel = Code(rawValue: "no-model")
    /// A bundle has no version of the name asked for, or that its current version has.
    public static let noSuchVersion = Code(rawValue: "no-such-version")
    /// A bundle has several versions and doesn't say which is current.
    public static let noCurrentVersion = Code(rawValue: "no-current-version")
    /// No version has the version hashes of a store.
    public static let noMatchingVersion = Code(rawValue: "no-matching-version")
    /// The models of a folder have different entities of one name.
    public static let mergeConflict = Code(rawValue: "merge-conflict")
  }

  /// The kind of fault.
  public var code: Code
  /// What is wrong and what to do about it.
  public var message: String
  /// The file; `nil` for bytes that came from elsewhere.
  public var path: String?
  /// The number of the object at fault in a keyed archive.
  public var object: Int?
  /// The key of that object.
  public var key: String?
  /// The offset of the fault in the file, in bytes.
  public var offset: Int?

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, path: String? = nil, object: Int? = nil, key: String? = nil,
    offset: Int? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.object = object
    self.key = key
    self.offset = offset
  }

  /// The place in the file: `[object 12, key 'NSEntity', byte 340]`; empty when it isn't known.
  public var place: String {
    let parts = [
      object.map { "object \($0)" }, key.map { "key '\($0)'" }, offset.map { "byte \($0)" },
    ].compactMap { $0 }
    return parts.isEmpty ? "" : "[\(parts.joined(separator: ", "))]"
  }
}

extension ModelFileError {
  /// Takes over an archive's error.
  package init(_ error: ArchiveError, path: String?) {
    let code: Code =
      switch error.code {
      case .limitExceeded: .limitExceeded
      case .unreadableFile: .unreadable
      default: .malformed
      }
    self.init(
      code, error.message, path: path, object: error.object, key: error.key, offset: error.offset)
  }

  /// Takes over a property list's error.
  package init(_ error: PropertyListError, path: String?) {
    self.init(ArchiveError(error), path: path)
  }

  /// Takes over an error of writing a file.
  package init(writing error: PropertyListError, path: String) {
    self.init(.unwritable, error.message, path: path)
  }
}

extension ModelFileError {
  /// There is no version of a name among those of a model.
  package init(noVersion name: String, among names: [String], path: String) {
    self.init(
      .noSuchVersion, "there is no version '\(name)'; there is \(Self.listed(names))", path: path)
  }

  /// There are several versions, one is needed, and none is marked as current.
  package init(noCurrentVersionAmong names: [String], path: String) {
    self.init(
      .noCurrentVersion,
      "there are \(names.count) versions and none is marked as current; name one of"
        + " \(Self.listed(names))", path: path)
  }

  /// Names for a message, the first ten of them.
  package static func listed(_ names: [String]) -> String {
    names.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
      + (names.count > 10 ? " and \(names.count - 10) more" : "")
  }
}

extension ModelFileError: CustomStringConvertible, LocalizedError {
  /// The path, the place in the file, and the message.
  public var description: String {
    switch (path, place) {
    case (nil, ""): message
    default: "\(path ?? "")\(place): \(message)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
