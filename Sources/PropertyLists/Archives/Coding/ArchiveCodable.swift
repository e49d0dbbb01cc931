/// A class whose instances can be read from keyed archives.
///
/// Decoding has two phases, so that objects may refer to each other in any way, cycles included:
/// every instance is made by `init()` first, and then told to read its
/// fields. A reference read then is to the very instance, though its own fields may not have been
/// read yet.
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
  /// The class's name and superclasses, as archives have them.
  static var archiveClass: ArchiveClass { get }

  /// Makes an instance whose fields are yet to be read.
  init()

  /// Reads the instance's fields.
  ///
  /// - Throws: ``ArchiveError``, or any error of your own, which ends decoding.
  func decode(from object: ArchiveObjectDecoder) throws
}

/// A class whose instances can be written to keyed archives.
public protocol ArchiveEncodable: AnyObject {
  /// The class's name and superclasses, as archives have them.
  static var archiveClass: ArchiveClass { get }

  /// Puts the instance's fields, in the order in which they are to be numbered.
  ///
  /// - Throws: Any error, which ends encoding.
  func encode(into object: inout ArchiveObjectEncoder) throws
}

/// A class that can be read from keyed archives and written to them.
public typealias ArchiveCodable = ArchiveDecodable & ArchiveEncodable
