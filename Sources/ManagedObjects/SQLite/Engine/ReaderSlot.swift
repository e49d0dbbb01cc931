import Synchronization

/// A connection of a ``ReaderPool``, and whether a request is using it.
///
/// Contexts that read one after another from their own threads each keep the connection they used last, and take it
/// again with one atomic operation. A lock here, even one held for nanoseconds, would cost more than reading a row:
/// threads that meet at it go to sleep.
final class ReaderSlot: @unchecked Sendable {
  // Sendable: the engine is used and released only by the thread that has taken the slot.
  private enum State: UInt8, AtomicRepresentable {
    case idle, taken, closed
  }

  private let state = Atomic<State>(.taken)
  private var reader: SQLiteEngine?

  /// Creates a slot that is taken.
  init(_ engine: SQLiteEngine) { reader = engine }

  /// The engine that reads, for whoever has taken the slot.
  var engine: SQLiteEngine {
    guard let reader else { preconditionFailure("a closed connection isn't taken") }
    return reader
  }

  /// Takes the slot; returns whether it was idle.
  func take() -> Bool {
    state.compareExchange(
      expected: .idle, desired: .taken, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  /// Ends the use of the slot.
  ///
  /// Sequentially consistent, like the pool's flag: either the pool's closing finds the slot idle, or the caller finds
  /// the pool closed.
  func yield() { state.store(.idle, ordering: .sequentiallyConsistent) }

  /// Closes the connection unless a request is using it.
  func closeIfIdle() {
    guard
      state.compareExchange(
        expected: .idle, desired: .closed, ordering: .sequentiallyConsistent
      ).exchanged
    else { return }
    reader = nil
  }
}
