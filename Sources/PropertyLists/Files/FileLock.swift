#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The exclusive right to replace a file, among processes that ask for it: between looking at the file and moving a new
/// one into its place, no other of them does so.
///
/// It is an advisory lock of the file at the path, so that it is over when that is replaced; the system also releases it
/// when the process ends. There is none where no file is, and where files can't be locked, as on some network file
/// systems.
package struct FileLock: ~Copyable {
  private let descriptor: Int32

  /// Waits for the file.
  ///
  /// - Parameter seconds: how long, at most.
  package init(of path: String, waiting seconds: Int = 30) throws(PropertyListError) {
    for _ in 0..<max(1, seconds * 500) {
      // Without waiting for the other end of what may be a pipe by now.
      let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0 else {
        if descriptor >= 0, !Self.isAt(path, descriptor) {
          // Whoever had the lock has replaced the file.
          close(descriptor)
          continue
        }
        self.descriptor = descriptor
        return
      }
      let number = errno
      close(descriptor)
      guard number == EWOULDBLOCK || number == EINTR else {
        self.descriptor = -1
        return
      }
      usleep(2000)
    }
    throw PropertyListError(
      .unreadableFile, "another process has kept the file locked for \(seconds) seconds")
  }

  private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
    var (own, present) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &present) == 0
      && own.st_dev == present.st_dev && own.st_ino == present.st_ino
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
