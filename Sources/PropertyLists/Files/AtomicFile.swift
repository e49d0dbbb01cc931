#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writing that leaves either the old file or the whole new one.
///
/// Only regular files are ever replaced. What stands for something else is written to, as by a shell's
/// `>`: a character device such as `/dev/null`, a pipe or socket, and what `/dev/stdout` or
/// `/dev/fd/3` lead to. A folder and a block device, which may be somebody's disk, are refused.
public enum AtomicFile {
  /// Writes bytes to a file: into a temporary file beside it, flushed to disk, then renamed.
  ///
  /// A file that is replaced passes its permissions on, and its owner where the system allows it. A
  /// symbolic link is followed, so that the file it names is replaced, or made, and not the link.
  ///
  /// - Throws: ``PropertyListError`` with code `unreadableFile`; the old file is then as it was.
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

  /// Writes a file part by part: it takes its place when `body` has returned.
  ///
  /// - Parameters:
  ///   - path: The file; see ``write(_:to:)``.
  ///   - body: Calls what it is given with one part after the other.
  /// - Throws: ``PropertyListError`` when the file can't be written, or what `body` throws; a regular
  ///   file is then as it was.
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
