import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The identity and state of a file, for detecting writes by other programs.
struct FileState: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// Whether it is a regular file of size zero.
  var isEmpty: Bool { size == 0 && isFile }
  private let isFile: Bool

  /// Reads the state of a file; nil if there is none.
  init?(_ url: URL) { self.init(path: url.path) }

  /// Reads the state of the file at a path; nil if there is none.
  init?(path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: info.st_dev)
    number = UInt64(truncatingIfNeeded: info.st_ino)
    size = Int64(info.st_size)
    isFile = info.st_mode & S_IFMT == S_IFREG
    #if canImport(Darwin)
      (seconds, nanoseconds) = (info.st_mtimespec.tv_sec, info.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
    #endif
  }

  /// Whether both are states of one file, whatever was written to it between them.
  func isSameFile(as other: FileState) -> Bool {
    device == other.device && number == other.number
  }

  /// Whether any write from now on gives the file another state.
  ///
  /// Files get their times from a clock that stands still for some milliseconds, in some file systems for two seconds:
  /// a second write within that time can leave both time and size as they were.
  var isSettled: Bool {
    var now = timespec()
    #if canImport(Darwin)
      clock_gettime(CLOCK_REALTIME, &now)
    #else
      clock_gettime(CLOCK_REALTIME_COARSE, &now)
    #endif
    // Whole seconds: the file system may not have anything finer. A time in the future was set by a program or by another
    // machine's clock; waiting for it would be in vain.
    guard nanoseconds == 0 else {
      return (now.tv_sec, now.tv_nsec) > (seconds, nanoseconds) || seconds > now.tv_sec + 2
    }
    return now.tv_sec > seconds + 2 || seconds > now.tv_sec + 2
  }
}
