/// Writes objects as `NSKeyedArchiver` does: the same numbering, classes and key order.
///
/// Each instance stands once, however often it is referred to. The encoder works without recursion,
/// so a chain of a million objects is as good as any.
///
/// ```swift
/// let bytes = try ArchiveEncoder().encode(root)
/// try AtomicFile.write(bytes, to: "Graph.archive")
/// ```
public struct ArchiveEncoder: Sendable {
  /// Which equal texts are one object.
  public var style: ArchiveStyle

  /// Makes an encoder.
  public init(style: ArchiveStyle = ArchiveStyle()) {
    self.style = style
  }

  /// Archives an object under `root`.
  ///
  /// - Throws: What an object's `encode(into:)` throws.
  public func encode(_ object: some ArchiveEncodable) throws -> [UInt8] {
    try encode([("root", object)])
  }

  /// Archives several objects, each under a key of `$top`, in the order given.
  ///
  /// - Throws: What an object's `encode(into:)` throws.
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
