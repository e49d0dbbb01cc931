import Foundation

/// Getting onto the context's queue.
extension NSManagedObjectContext {
  /// What ``perform(_:)`` does.
  final func enqueue(_ block: @escaping () -> Void) {
    let block = Transfer(value: block)
    queue.async { [self] in
      CurrentContext.$value.withValue(self) { block.value() }
      endOfBlock()
    }
  }

  /// Runs `block` on the context's queue and waits for it; on the queue already, at once.
  ///
  /// A block may wait for its own context again, however many others' are in between. Changes aren't
  /// processed when it ends.
  ///
  /// Wait from a child for its parent, never the other way round on another thread: a child that fetches
  /// or saves waits for its parent, and two threads that wait for each other do so for ever. Use
  /// ``perform(_:)`` where that may be.
  public final func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result {
    try queue.sync { try CurrentContext.$value.withValue(self, operation: block) }
  }

  /// What `performAndWait(_:)` does.
  final func runAndWait(_ block: () -> Void) {
    queue.sync { CurrentContext.$value.withValue(self, operation: block) }
  }

  /// Runs `block` on the context's queue and gives its result.
  ///
  /// - Parameters:
  ///   - schedule: whether a caller that is on the queue already goes at once.
  ///   - block: what is run; what it throws is thrown.
  public final func perform<Result, Failure: Error>(
    schedule: ScheduledTaskType = .immediate,
    _ block: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    if schedule == .immediate, queue.isCurrent, concurrencyType == .confinementConcurrencyType {
      return try block()
    }
    let outcome: Transfer<Swift.Result<Result, Failure>> = await withCheckedContinuation {
      continuation in
      queue.async { [self] in
        let outcome: Swift.Result<Result, Failure>
        outcome = CurrentContext.$value.withValue(self) {
          do throws(Failure) { return .success(try block()) } catch { return .failure(error) }
        }
        endOfBlock()
        continuation.resume(returning: Transfer(value: outcome))
      }
    }
    return try outcome.value.get()
  }

  private final func endOfBlock() {
    endTurn()
    sweep()
  }

  private final func endTurn() {
    processPendingChanges()
    #if !canImport(ObjectiveC)
      undoManager?.endEvent()
    #endif
  }

  /// Has changes processed when the present turn of the main queue is over.
  @inline(never)
  final func noticeTurn() {
    noticesTurns = false
    DispatchQueue.main.async { [weak self] in
      guard let self else { return }
      noticesTurns = true
      endTurn()
    }
  }

  /// Lets go of clean objects that nobody else holds.
  final func sweep() {
    guard !retainsRegisteredObjects else { return }
    let gone = identityMap.sweep {
      // What others deleted has nothing to be saved.
      $0.state.contains(.inaccessible) || $0.state.isDisjoint(with: [.pending, .changedInEvent])
    }
    for object in gone {
      object.willTurnIntoFault()
      object.context = nil
    }
    survivorsOfLastSweep = identityMap.count
  }
}

/// A block on its way to the context's queue, or a result on its way back: the other side alone has it from then
/// on.
struct Transfer<Value>: @unchecked Sendable {
  let value: Value
}

/// The context whose block is running.
enum CurrentContext {
  @TaskLocal static var value: NSManagedObjectContext?
}
