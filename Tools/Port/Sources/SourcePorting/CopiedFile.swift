import Foundation

/// A file of a copy. Nothing but a regular file is read or replaced: a link may lead to the original, a pipe may never
/// end, and a device may be a disk.
struct CopiedFile {
  let url: URL
  private let isThere: Bool

  /// - Throws: ``PortError`` if something other than a regular file is in the file's place.
  init(_ url: URL) throws {
    self.url = url
    // These are the attributes of a link itself, not of what it leads to.
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    isThere = attributes != nil
    let type = attributes?[.type] as? FileAttributeType
    guard isThere, type != .typeRegular else { return }
    throw PortError(
      "\(url.path): this isn't a regular file, and isn't replaced: remove it, or choose another "
        + "folder")
  }

  /// Its contents, or nil if there is no file.
  var contents: Data? {
    guard isThere else { return nil }
    return try? Data(contentsOf: url)
  }

  /// Writes the file unless its contents are these, so that only what changed is rebuilt.
  ///
  /// - Returns: whether it was written.
  @discardableResult
  func write(_ data: Data) throws -> Bool {
    guard contents != data else { return false }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url, options: .atomic)
    return true
  }
}
