#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writing that leaves either the old file or the whole new one.
public enum AtomicFile {
  /// Writes bytes to a file: into a temporary file beside it, flushed to disk, then renamed.
  ///
  /// A file that is replaced passes its permissions on. A symbolic link is followed, so that the
  /// file it names is replaced and not the link.
  ///
  /// - Throws: ``PropertyListError`` with code `unreadableFile`; the old file is then as it was.
  public static func write(_ bytes: [UInt8], to path: String) throws(PropertyListError) {
    let target = resolved(path)
    var status = stat()
    let mode = stat(target, &status) == 0 ? status.st_mode & 0o7777 : nil
    if mode != nil, status.st_mode & S_IFMT == S_IFDIR {
      throw PropertyListError(.unreadableFile, "can't write it: it is a folder")
    }
    let (descriptor, temporary) = try makeTemporary(beside: target, mode: mode ?? 0o666)
    do throws(PropertyListError) {
      defer { close(descriptor) }
      if let mode, fchmod(descriptor, mode) != 0 {
        throw FileBytes.failure("can't set its permissions")
      }
      try writeAll(bytes, to: descriptor)
      guard fsync(descriptor) == 0 else { throw FileBytes.failure("can't flush it to disk") }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, target) == 0 else {
      let error = FileBytes.failure("can't put it in place")
      unlink(temporary)
      throw error
    }
    flushFolder(of: target)
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func makeTemporary(
    beside path: String, mode: mode_t
  ) throws(PropertyListError) -> (Int32, String) {
    for attempt in 0..<100 {
      let name = "\(folder(of: path))/.momkit-\(getpid())-\(attempt).tmp"
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (descriptor, name) }
      guard errno == EEXIST else { break }
    }
    throw FileBytes.failure("can't write beside it")
  }

  private static func writeAll(
    _ bytes: [UInt8], to descriptor: Int32
  ) throws(PropertyListError) {
    var written = 0
    while written < bytes.count {
      let taken = bytes.withUnsafeBytes { buffer in
        SystemCall.write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...]))
      }
      if taken < 0 {
        if errno == EINTR { continue }
        throw FileBytes.failure("can't write it")
      }
      written += taken
    }
  }

  /// Makes the new name last: a best effort, since some file systems refuse to flush a folder.
  private static func flushFolder(of path: String) {
    let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
