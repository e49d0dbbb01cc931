import Foundation

/// A limit on the length of this process' files; for a file written in one piece it acts like a full disk.
struct FileLengthLimit {
  private let before: rlimit

  /// Sets the limit.
  ///
  /// - Parameter ends: whether writing beyond the limit ends the process, in the middle of the file, or only fails.
  init(bytes: Int, ends: Bool) {
    signal(SIGXFSZ, ends ? SIG_DFL : SIG_IGN)
    // Worker threads have most signals blocked, and a process started by one inherits that.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    var present = rlimit()
    getrlimit(Self.resource, &present)
    before = present
    present.rlim_cur = min(rlim_t(bytes), present.rlim_max)
    setrlimit(Self.resource, &present)
  }

  /// Restores the previous limit.
  func lift() {
    var limit = before
    setrlimit(Self.resource, &limit)
  }

  #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(1)
  #else
    private static let resource = RLIMIT_FSIZE
  #endif
}
