import Foundation
import TestSupport
import Testing

@testable import momtool

/// Signals that come while a store is migrated.
@Suite struct InterruptionTests {
  /// As under nohup, whose programs go on when the terminal is gone.
  @Test func whatWasIgnoredStaysIgnored() {
    // It stays so until the tests end: a late one would end them.
    signal(SIGHUP, SIG_IGN)
    let progress = Progress(totalUnitCount: 1)
    withExtendedLifetime(Interruption(cancelling: progress)) {
      for _ in 0..<30 {
        kill(getpid(), SIGHUP)
        usleep(10_000)
      }
    }
    #expect(!progress.isCancelled)
    // It is ignored after the work too, or this would end the tests.
    kill(getpid(), SIGHUP)
  }
}
