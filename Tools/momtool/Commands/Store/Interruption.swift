import Foundation
import PropertyLists

/// Has the signals that would end the program cancel a piece of work first, as long as the object is there: what is half
/// done is taken back, and the command ends by itself.
final class Interruption {
  private let number: Int

  init(cancelling progress: Progress) {
    number = EndingSignals.beginCancelling { progress.cancel() }
  }

  deinit { EndingSignals.stopCancelling(number) }
}
