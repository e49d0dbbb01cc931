/// A binary property list (`bplist00`), read where it lies.
///
/// Opening one checks the whole file once: every offset, count, reference and text, nesting and
/// cycles. After that no access can fail on the file's account, and none makes anything that was
/// not asked for: strings, data and collections stay bytes until they are taken.
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
/// Objects are named by their number in the file's object table. Two references to one number are
/// two uses of one object: identity is kept, and ``PropertyListGraph/init(_:)`` carries it on into
/// a graph that can be changed and written.
public struct BinaryPropertyList: Sendable {
  /// The file.
  public let bytes: [UInt8]
  /// The number of the top object.
  public let top: Int
  /// Where each object begins.
  @usableFromInline let offsets: [UInt32]
  /// How many bytes a reference takes: 1 to 8.
  let referenceWidth: Int
  /// Whether some container may be held more than once, so that making all of the list would make
  /// more than the file holds.
  let mayShareContainers: Bool
  /// The bytes of the longest text, data or integer.
  let longestLeaf: Int
  /// How many references containers hold together.
  package let referenceCount: Int

  /// How many objects the list has.
  public var count: Int { offsets.count }

  /// Opens a binary property list.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limits: What to refuse as too large or too deep.
  /// - Throws: ``PropertyListError`` when the bytes are not a sound binary property list.
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
  /// - Throws: ``PropertyListError`` when the file cannot be read or is not a sound list.
  public init(
    contentsOf path: String, limits: PropertyListLimits = .default
  ) throws(PropertyListError) {
    try self.init(FileBytes.read(path, limit: limits.byteCount), limits: limits)
  }

  /// Whether bytes begin as a binary property list does.
  public static func hasMagic(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: magic)
  }

  static let magic = Array("bplist00".utf8)
}
