#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads and writes whole files with direct system calls.
///
/// Reading copies the file into memory instead of mapping it: if another process truncates a mapped file, the next
/// access crashes the program, and no error handling can prevent that.
public enum FileBytes {
  /// Reads a regular file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - limit: The largest file to read, in bytes.
  /// - Throws: ``PropertyListError`` when the file cannot be opened or read, is not a regular file, or exceeds the
  ///   limit.
  public static func read(
    _ path: String, limit: Int = PropertyListLimits.default.byteCount
  ) throws(PropertyListError) -> [UInt8] {
    let (descriptor, size) = try openRegularFile(path)
    defer { close(descriptor) }
    guard size <= limit else { throw tooLarge(limit) }
    return try readToEnd(descriptor, expecting: size, limit: limit)
  }

  private static func openRegularFile(
    _ path: String
  ) throws(PropertyListError) -> (descriptor: Int32, size: Int) {
    // Non-blocking, since opening a pipe would otherwise wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("can't open it") }
    var status = stat()
    let error: PropertyListError?
    if fstat(descriptor, &status) != 0 {
      error = failure("can't examine it")
    } else {
      error =
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: PropertyListError(.unreadableFile, "it is a folder")
        default: PropertyListError(.unreadableFile, "it is not a regular file")
        }
    }
    if let error {
      close(descriptor)
      throw error
    }
    return (descriptor, Int(status.st_size))
  }

  /// Reads the beginning of a regular file: fewer bytes when the file is shorter.
  ///
  /// - Throws: ``PropertyListError`` when the file cannot be opened or read, or is not a regular file.
  public static func readPrefix(
    of path: String, count: Int
  ) throws(PropertyListError) -> [UInt8] {
    let descriptor = try openRegularFile(path).descriptor
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let taken = try read(descriptor, into: &bytes, from: filled)
      if taken == 0 { break }
      filled += taken
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  /// Reads standard input to its end.
  ///
  /// - Throws: ``PropertyListError`` when reading fails or the limit is exceeded.
  public static func readStandardInput(
    limit: Int = PropertyListLimits.default.byteCount
  ) throws(PropertyListError) -> [UInt8] {
    try readToEnd(STDIN_FILENO, expecting: 1 << 16, limit: limit)
  }

  /// Reads a pipe to its end, such as one that a shell makes of a command: `<(git show …)`.
  package static func readPipe(
    _ path: String, limit: Int = PropertyListLimits.default.byteCount
  ) throws(PropertyListError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("can't open it") }
    defer { close(descriptor) }
    return try readToEnd(descriptor, expecting: 1 << 16, limit: limit)
  }

  private static func readToEnd(
    _ descriptor: Int32, expecting size: Int, limit: Int
  ) throws(PropertyListError) -> [UInt8] {
    // One byte more than expected, so that the final read, which returns 0, needs no larger buffer.
    var bytes = [UInt8](repeating: 0, count: size + 1)
    var filled = 0
    while true {
      if filled == bytes.count {
        guard filled <= limit else { throw tooLarge(limit) }
        bytes.append(contentsOf: repeatElement(0, count: max(filled, 4096)))
      }
      let taken = try read(descriptor, into: &bytes, from: filled)
      if taken == 0 { break }
      filled += taken
    }
    guard filled <= limit else { throw tooLarge(limit) }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// Reads into the unfilled part of the buffer; returns 0 at the end of the file.
  private static func read(
    _ descriptor: Int32, into bytes: inout [UInt8], from filled: Int
  ) throws(PropertyListError) -> Int {
    while true {
      let taken = bytes.withUnsafeMutableBytes { buffer in
        SystemCall.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      }
      if taken >= 0 { return taken }
      guard errno == EINTR else { throw failure("can't read it") }
    }
  }

  /// Returns the path of the file that a path with symbolic links leads to; another path, or one where nothing exists,
  /// is returned as it is.
  ///
  /// What SQLite keeps beside a file is beside the file itself, not beside a link to it.
  package static func resolvingLinks(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func tooLarge(_ limit: Int) -> PropertyListError {
    PropertyListError(.limitExceeded, "the file is larger than the limit of \(limit) bytes")
  }

  static func failure(_ what: String) -> PropertyListError {
    PropertyListError(.unreadableFile, "\(what): \(String(cString: strerror(errno)))")
  }
}
