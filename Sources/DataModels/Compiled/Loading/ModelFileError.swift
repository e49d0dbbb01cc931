import Foundation
import PropertyLists

/// An error in reading or writing a model file, bundle or store: the file, the location in it, and what to do.
///
/// ```swift
/// do {
///   let model = try NSManagedObjectModel(loading: "Shop.momd")
/// } catch {
///   print(error)  // Shop.momd/Shop 2.mom[object 12, key 'NSProperties']: expected a dictionary, …
/// }
/// ```
public struct ModelFileError: Error, Hashable, Sendable {
  /// The kind of fault, for use in code.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's name, as used in machine-readable output.
    public let rawValue: String

    /// Creates a code from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// There is no such file.
    public static let notFound = Code(rawValue: "not-found")
    /// The file exists but can't be read.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The file can't be written.
    public static let unwritable = Code(rawValue: "unwritable")
    /// The file is not of a kind that contains models.
    public static let unknownKind = Code(rawValue: "unknown-kind")
    /// The file's bytes are damaged, or are not a model.
    public static let malformed = Code(rawValue: "malformed")
    /// A limit was exceeded.
    public static let limitExceeded = Code(rawValue: "limit-exceeded")
    /// A folder, bundle or store without a model.
    public static let noModel = Code(rawValue: "no-model")
    /// A bundle has no version with the requested name, or with the name of its current version.
    public static let noSuchVersion = Code(rawValue: "no-such-version")
    /// A bundle has several versions and doesn't say which is current.
    public static let noCurrentVersion = Code(rawValue: "no-current-version")
    /// No version has the version hashes of a store.
    public static let noMatchingVersion = Code(rawValue: "no-matching-version")
    /// The models of a folder have different entities with the same name.
    public static let mergeConflict = Code(rawValue: "merge-conflict")
  }

  /// The kind of fault.
  public var code: Code
  /// What is wrong and what to do about it.
  public var message: String
  /// The file; `nil` for bytes from another source.
  public var path: String?
  /// The number of the object at fault in a keyed archive.
  public var object: Int?
  /// The key within that object.
  public var key: String?
  /// The byte offset of the fault in the file.
  public var offset: Int?

  /// Creates an error.
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

  /// The location in the file: `[object 12, key 'NSEntity', byte 340]`; empty when it isn't known.
  public var place: String {
    let parts = [
      object.map { "object \($0)" }, key.map { "key '\($0)'" }, offset.map { "byte \($0)" },
    ].compactMap { $0 }
    return parts.isEmpty ? "" : "[\(parts.joined(separator: ", "))]"
  }
}

extension ModelFileError {
  /// Converts an archive error.
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

  /// Converts a property list error.
  package init(_ error: PropertyListError, path: String?) {
    self.init(ArchiveError(error), path: path)
  }

  /// Converts an error in writing a file.
  package init(writing error: PropertyListError, path: String) {
    self.init(.unwritable, error.message, path: path)
  }
}

extension ModelFileError {
  /// Creates an error for a version name that a model doesn't have.
  package init(noVersion name: String, among names: [String], path: String) {
    self.init(
      .noSuchVersion,
      "there is no version '\(name)'; there is \(Self.listed(Self.inOrder(names)))", path: path)
  }

  /// Creates an error for a model with several versions, none of which is marked as current.
  package init(noCurrentVersionAmong names: [String], path: String) {
    self.init(
      .noCurrentVersion,
      "there are \(names.count) versions and none is marked as current; name one of"
        + " \(Self.listed(Self.inOrder(names)))", path: path)
  }

  /// The names of versions, oldest first as far as they tell: `Shop`, `Shop 2`, `Shop 10`.
  private static func inOrder(_ names: [String]) -> [String] {
    names.sorted {
      let order = $0.compare($1, options: .numeric)
      return order == .orderedSame ? $0 < $1 : order == .orderedAscending
    }
  }

  /// Formats names for a message, limited to the first ten.
  package static func listed(_ names: [String]) -> String {
    names.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
      + (names.count > 10 ? " and \(names.count - 10) more" : "")
  }
}

extension ModelFileError: CustomStringConvertible, LocalizedError {
  /// The path, the location in the file, and the message.
  public var description: String {
    switch (path, place) {
    case (nil, ""): message
    default: "\(path ?? "")\(place): \(message)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
