import Foundation
import PropertyLists

/// Makes terminating signals cancel a piece of work for as long as the object exists: the work is rolled back, and the
/// command exits normally.
final class Interruption {
  private let number: Int

  init(cancelling progress: Progress) {
    number = EndingSignals.beginCancelling { progress.cancel() }
  }

  deinit { EndingSignals.stopCancelling(number) }
}
