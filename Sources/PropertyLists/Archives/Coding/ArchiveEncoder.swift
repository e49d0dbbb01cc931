/// Encodes objects as `NSKeyedArchiver` does, with the same numbering, classes and key order.
///
/// Each instance is written once, regardless of how often it is referenced. The encoder does not recurse, so chains of
/// a million objects are fine.
///
/// ```swift
/// let bytes = try ArchiveEncoder().encode(root)
/// try AtomicFile.write(bytes, to: "Graph.archive")
/// ```
public struct ArchiveEncoder: Sendable {
  /// Which equal strings are written as one object.
  public var style: ArchiveStyle

  /// Creates an encoder.
  public init(style: ArchiveStyle = ArchiveStyle()) {
    self.style = style
  }

  /// Archives an object under the key `root`.
  ///
  /// - Throws: Any error that an object's `encode(into:)` throws.
  public func encode(_ object: some ArchiveEncodable) throws -> [UInt8] {
    try encode([("root", object)])
  }

  /// Archives several objects, each under a key of `$top`, in the given order.
  ///
  /// - Throws: Any error that an object's `encode(into:)` throws.
  public func encode(_ objects: [(key: String, object: any ArchiveEncodable)]) throws -> [UInt8] {
    let session = ArchiveEncodingSession()
    var assembler = ArchiveAssembler(keys: ArchiveKeyTable([]), style: style)
    var top: [(key: String, number: Int)] = []
    for (key, object) in objects {
      top.append((key, try session.encode(object, into: &assembler)))
    }
    return assembler.finish(top: top).binary()
  }
}
