#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file being written: a temporary file beside its target or, where nothing may be replaced, the target itself.
package struct FileDraft {
  private let descriptor: Int32
  /// The temporary file and its target; nil when bytes are written directly to the target.
  private let names: (temporary: String, target: String)?

  /// Begins writing a file.
  package init(of path: String) throws(PropertyListError) {
    let target = try Self.resolved(path)
    var status = stat()
    // Use the path as given: links below /proc can lead to files that have no path.
    let isThere = stat(path, &status) == 0
    switch isThere ? status.st_mode & S_IFMT : S_IFREG {
    case S_IFREG where !Self.isStream(path): break
    case S_IFDIR: throw PropertyListError(.unreadableFile, "can't write it: it is a folder")
    case S_IFBLK: throw PropertyListError(.unreadableFile, "can't write it: it is a device")
    default:
      // Append, so that what a shell's `>>` redirection already contains is kept.
      descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
      names = nil
      guard descriptor >= 0 else { throw FileBytes.failure("can't write it") }
      return
    }
    let mode = isThere ? status.st_mode & 0o7777 : nil
    let (descriptor, temporary) = try Self.makeTemporary(beside: target, mode: mode ?? 0o666)
    self.descriptor = descriptor
    names = (temporary, target)
    guard let mode else { return }
    // A file owned by another user keeps its owner where the system allows it. The owner is set first, because changing
    // it may drop permissions.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    guard fchmod(descriptor, mode) == 0 else {
      let error = FileBytes.failure("can't set its permissions")
      discard()
      throw error
    }
  }

  /// Appends bytes.
  package func append(_ bytes: [UInt8]) throws(PropertyListError) {
    let error = bytes.withUnsafeBytes { buffer -> PropertyListError? in
      do throws(PropertyListError) {
        try append(buffer)
        return nil
      } catch {
        return error
      }
    }
    if let error { throw error }
  }

  /// Appends bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws(PropertyListError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let taken = SystemCall.write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if taken < 0 {
        if errno == EINTR { continue }
        throw FileBytes.failure("can't write it")
      }
      rest = rest.dropFirst(taken)
    }
  }

  /// Moves the file into place. After an error, the draft must be discarded.
  ///
  /// - Parameter replaces: whether it replaces a file. If not, a file that another process has made meanwhile is an
  ///   error, where the file system can tell.
  package func publish(replaces: Bool = true) throws(PropertyListError) {
    guard let names else {
      close(descriptor)
      return
    }
    guard fsync(descriptor) == 0 else { throw FileBytes.failure("can't flush it to disk") }
    if !replaces, link(names.temporary, names.target) == 0 {
      unlink(names.temporary)
    } else {
      guard replaces || errno != EEXIST, rename(names.temporary, names.target) == 0 else {
        throw FileBytes.failure("can't move it into place")
      }
    }
    UnfinishedFiles.remove(names.temporary)
    close(descriptor)
    Self.flushFolder(of: names.target)
  }

  /// Discards the draft.
  package func discard() {
    close(descriptor)
    guard let names else { return }
    unlink(names.temporary)
    UnfinishedFiles.remove(names.temporary)
  }

  // MARK: Places

  /// Whether a path names an open file of the process rather than a location in a folder: the file behind it may be in
  /// use by another process.
  private static func isStream(_ path: String) -> Bool {
    ["/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix("/dev/fd/")
      || path.hasPrefix("/proc/")
  }

  /// Resolves symbolic links in a path, even if nothing exists there yet.
  package static func resolved(_ path: String) throws(PropertyListError) -> String {
    var path = path
    // Linux follows at most 40 links.
    for _ in 0..<40 {
      if let real = realpath(path, nil) {
        defer { free(real) }
        return String(cString: real)
      }
      guard let link = destination(ofLink: path) else { return path }
      path = link.utf8.first == UInt8(ascii: "/") ? link : "\(folder(of: path))/\(link)"
    }
    throw PropertyListError(.unreadableFile, "can't write it: its symbolic links don't end")
  }

  private static func destination(ofLink path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
    }
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func makeTemporary(
    beside path: String, mode: mode_t
  ) throws(PropertyListError) -> (Int32, String) {
    // A random name, since another process may have the same number in a container of its own.
    for _ in 0..<100 {
      let mark = String(UInt64.random(in: .min ... .max), radix: 16)
      let name = "\(folder(of: path))/.momkit-\(getpid())-\(mark).tmp"
      UnfinishedFiles.add(name)
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return (descriptor, name) }
      let number = errno
      UnfinishedFiles.remove(name)
      errno = number
      guard number == EEXIST else { break }
    }
    throw FileBytes.failure("can't write to its folder")
  }

  /// Makes the rename durable. Best effort, since some file systems do not support flushing a folder.
  private static func flushFolder(of path: String) {
    let descriptor = open(folder(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
