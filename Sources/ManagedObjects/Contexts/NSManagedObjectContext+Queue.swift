import Foundation

/// Execution on the context's queue.
extension NSManagedObjectContext {
  /// The implementation of ``perform(_:)``.
  final func enqueue(_ block: @escaping () -> Void) {
    let block = Transfer(value: block)
    queue.async { [self] in
      CurrentContext.run(in: self) { block.value() }
      endOfBlock()
    }
  }

  /// Runs `block` on the context's queue and waits for it; runs it at once if already on the queue.
  ///
  /// A block may wait for its own context again, whatever other contexts' blocks are in between. Pending changes
  /// aren't processed when it ends.
  ///
  /// Wait from a child for its parent, never the other way round on another thread: a child that fetches or saves
  /// waits for its parent, and two threads that wait for each other deadlock. Use ``perform(_:)`` where that could
  /// happen.
  public final func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result {
    try queue.sync { try CurrentContext.run(in: self, block) }
  }

  /// The implementation of `performAndWait(_:)`.
  final func runAndWait(_ block: () -> Void) {
    queue.sync { CurrentContext.run(in: self, block) }
  }

  /// Runs `block` on the context's queue and returns its result.
  ///
  /// - Parameters:
  ///   - schedule: whether the block runs at once if the caller is on the queue already.
  ///   - block: the block to run; its errors are rethrown. It may capture non-Sendable values that aren't used afterwards.
  @preconcurrency
  public final func perform<Result, Failure: Error>(
    schedule: ScheduledTaskType = .immediate,
    _ block: sending @escaping () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    // Core Data's block isn't `sending`, so sources of Swift 5 use the main actor's properties in it: with
    // `@preconcurrency` that is a warning. Without `sending`, a block in a class of the main actor's would belong to that
    // actor, and trap on the context's queue in Swift 6.
    if schedule == .immediate, queue.isCurrent, concurrencyType == .confinementConcurrencyType {
      return try block()
    }
    let work = Transfer(value: block)
    let outcome: Transfer<Swift.Result<Result, Failure>> = await withCheckedContinuation {
      continuation in
      queue.async { [self] in
        let outcome: Swift.Result<Result, Failure>
        outcome = CurrentContext.run(in: self) {
          do throws(Failure) { return .success(try work.value()) } catch { return .failure(error) }
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

  /// Schedules change processing for the end of the current turn of the main queue.
  @inline(never)
  final func noticeTurn() {
    noticesTurns = false
    DispatchQueue.main.async { [weak self] in
      guard let self else { return }
      noticesTurns = true
      endTurn()
    }
  }

  /// Releases unchanged objects that nothing else references.
  final func sweep() {
    guard !retainsRegisteredObjects else { return }
    let gone = identityMap.sweep {
      // An object that other writers deleted has nothing to save.
      $0.state.contains(.inaccessible) || $0.state.isDisjoint(with: [.pending, .changedInEvent])
    }
    for object in gone {
      let isFault = object.isFault
      if !isFault { object.willTurnIntoFault() }
      object.context = nil
      if !isFault { object.didTurnIntoFault() }
    }
    survivorsOfLastSweep = identityMap.count
  }
}

/// Moves a block to the context's queue, or a result back from it. Sendable: only the receiving side uses the value
/// from then on.
struct Transfer<Value>: @unchecked Sendable {
  let value: Value
}

/// The context whose block the current thread is running.
///
/// Not a task-local value: a task that the block starts would keep the context, and with it the stores, as long as it runs.
enum CurrentContext {
  private static let ofThread = ThreadReference<NSManagedObjectContext>()

  /// The context; nil outside of blocks.
  static var value: NSManagedObjectContext? { ofThread.object }

  /// Runs `block` as one of a context's.
  static func run<Result>(
    in context: NSManagedObjectContext, _ block: () throws -> Result
  ) rethrows -> Result {
    let before = ofThread.object
    ofThread.object = context
    defer { ofThread.object = before }
    return try block()
  }
}
