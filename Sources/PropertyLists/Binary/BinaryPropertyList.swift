/// A binary property list (`bplist00`), read in place.
///
/// Opening a list checks the whole file once: every offset, count, reference and string, the nesting, and the absence
/// of cycles. After that, no access can fail because of the file's contents, and nothing is decoded unless requested:
/// strings, data and collections remain bytes until then.
///
/// ```swift
/// let list = try BinaryPropertyList(contentsOf: "Model.momd/VersionInfo.plist")
/// if case .dictionary(let keys, let values) = list.value(at: list.top) {
///   for (key, value) in zip(keys, values) {
///     print(list.string(at: key) ?? "", list.value(at: value).kind)
///   }
/// }
/// ```
///
/// Objects are identified by their number in the file's object table. Two references to one number are two uses of one
/// object. This identity is preserved, and ``PropertyListGraph/init(_:)`` carries it over into a graph that can be
/// modified and written.
public struct BinaryPropertyList: Sendable {
  /// The file.
  public let bytes: [UInt8]
  /// The number of the top object.
  public let top: Int
  /// The offset of each object.
  @usableFromInline let offsets: [UInt32]
  /// The size of a reference in bytes: 1 to 8.
  let referenceWidth: Int
  /// Whether a container may be referenced more than once, so that decoding the whole list would produce more data than
  /// the file contains.
  let mayShareContainers: Bool
  /// The size in bytes of the longest string, data or integer.
  let longestLeaf: Int
  /// The total number of references in containers.
  package let referenceCount: Int

  /// The number of objects in the list.
  public var count: Int { offsets.count }

  /// Opens a binary property list.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: The limits above which a file is refused.
  /// - Throws: ``PropertyListError`` when the bytes are not a valid binary property list.
  public init(_ bytes: [UInt8], limits: PropertyListLimits = .default) throws(PropertyListError) {
    let checked = try bytes.withUnsafeBufferPointer {
      (buffer) throws(PropertyListError) -> BinaryPropertyListCheck.Result in
      var check = BinaryPropertyListCheck(buffer, limits: limits)
      return try check.run()
    }
    self.bytes = bytes
    top = checked.top
    offsets = checked.offsets
    referenceWidth = checked.referenceWidth
    mayShareContainers = checked.mayShareContainers
    longestLeaf = checked.longestLeaf
    referenceCount = checked.referenceCount
  }

  /// Reads and opens a file.
  ///
  /// - Throws: ``PropertyListError`` when the file cannot be read or is not a valid list.
  public init(
    contentsOf path: String, limits: PropertyListLimits = .default
  ) throws(PropertyListError) {
    try self.init(FileBytes.read(path, limit: limits.byteCount), limits: limits)
  }

  /// Whether bytes start with the magic number of a binary property list.
  public static func hasMagic(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: magic)
  }

  static let magic = Array("bplist00".utf8)
}
