import Dispatch
import Foundation

/// Has the signals that would end the program cancel a piece of work, as long as the object is there: what is half done
/// is taken back, and the command ends by itself.
final class Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private let sources: [any DispatchSourceSignal]

  /// - Parameter progress: cancelled when a signal comes.
  init(cancelling progress: Progress) {
    sources = Self.signals.map { number in
      // The system's own way would end the program before the source is asked.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { progress.cancel() }
      source.resume()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }
}
