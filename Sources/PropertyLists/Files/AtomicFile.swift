#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes files atomically, so that either the old file or the complete new one remains.
///
/// Only regular files are replaced. Special files are written to, as with a shell's `>`: character devices such as
/// `/dev/null`, pipes, sockets, and whatever `/dev/stdout` or `/dev/fd/3` refer to. Folders are refused, and so are
/// block devices, which may be a disk in use.
public enum AtomicFile {
  /// Writes bytes to a temporary file beside the target, flushes it to disk, and renames it.
  ///
  /// A replaced file's permissions are kept, and its owner where the system allows it. Symbolic links are followed: the
  /// file that a link refers to is replaced or created, not the link.
  ///
  /// - Throws: ``PropertyListError`` with code `unreadableFile`; the old file is then unchanged.
  public static func write(_ bytes: [UInt8], to path: String) throws(PropertyListError) {
    let draft = try FileDraft(of: path)
    do throws(PropertyListError) {
      try draft.append(bytes)
      try draft.publish()
    } catch {
      draft.discard()
      throw error
    }
  }

  /// Writes a file incrementally. It replaces the target once `body` has returned.
  ///
  /// - Parameters:
  ///   - path: The file; see ``write(_:to:)``.
  ///   - body: Calls its argument with one part after the other.
  /// - Throws: ``PropertyListError`` when the file can't be written, or any error that `body` throws; a regular file is
  ///   then unchanged.
  public static func write(
    to path: String,
    _ body: (_ append: @escaping (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let draft = try FileDraft(of: path)
    do {
      try body { try draft.append($0) }
      try draft.publish()
    } catch {
      draft.discard()
      throw error
    }
  }
}
