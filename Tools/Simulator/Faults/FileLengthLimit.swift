import Foundation

/// How long this process' files may become: what a full disk is to a file that is written in one piece.
struct FileLengthLimit {
  private let before: rlimit

  /// Sets the limit.
  ///
  /// - Parameter ends: whether writing beyond it ends the process, in the middle of the file, or only
  ///   fails.
  init(bytes: Int, ends: Bool) {
    signal(SIGXFSZ, ends ? SIG_DFL : SIG_IGN)
    // A process that a worker thread started has most signals blocked, as such threads have.
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

  /// Lets files become as long as before.
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
