/// A class whose instances can be read from keyed archives.
///
/// Decoding has two phases, so that objects may refer to each other in any way, including cycles: every instance is
/// first created by `init()`, and its fields are read afterwards. A reference read during the second phase is to the
/// final instance, although that instance's own fields may not have been read yet.
///
/// ```swift
/// final class Node: ArchiveCodable {
///   static let archiveClass = ArchiveClass("Node", "NSObject")
///   var name = ""
///   var next: Node?
///
///   init() {}
///
///   func decode(from object: ArchiveObjectDecoder) throws {
///     name = try object.string(forKey: "name") ?? ""
///     next = try object.object(Node.self, forKey: "next")
///   }
///
///   func encode(into object: inout ArchiveObjectEncoder) {
///     object.encode(name, forKey: "name")
///     object.encode(next, forKey: "next")
///   }
/// }
///
/// let bytes = try ArchiveEncoder().encode(node)
/// let copy = try ArchiveDecoder(allowing: [Node.self]).decode(Node.self, from: bytes)
/// ```
public protocol ArchiveDecodable: AnyObject {
  /// The class's name and superclasses, as they appear in archives.
  static var archiveClass: ArchiveClass { get }

  /// Creates an instance whose fields have not been read yet.
  init()

  /// Reads the instance's fields.
  ///
  /// - Throws: ``ArchiveError``, or any error of your own; either ends decoding.
  func decode(from object: ArchiveObjectDecoder) throws
}

/// A class whose instances can be written to keyed archives.
public protocol ArchiveEncodable: AnyObject {
  /// The class's name and superclasses, as they appear in archives.
  static var archiveClass: ArchiveClass { get }

  /// Encodes the instance's fields. Their order determines how the objects they refer to are numbered.
  ///
  /// - Throws: Any error; it ends encoding.
  func encode(into object: inout ArchiveObjectEncoder) throws
}

/// A class that can be read from keyed archives and written to them.
public typealias ArchiveCodable = ArchiveDecodable & ArchiveEncodable
