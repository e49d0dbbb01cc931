import Dispatch
import Foundation

/// The queue a context works on: the main one, which all main queue contexts share, one of its own, or
/// none.
///
/// Waiting for a queue is re-entrant however deep queues are nested. A thread that waits inside of
/// other queues' blocks lends these to the block it waits for, which may run on the main thread: what a
/// block calls may use every queue that its callers hold.
final class ContextQueue: @unchecked Sendable {
  private enum Kind {
    case main
    case own(DispatchQueue)
    case confined
  }

  private let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  static func make(_ type: NSManagedObjectContextConcurrencyType) -> ContextQueue {
    switch type {
    case .mainQueueConcurrencyType: main
    case .privateQueueConcurrencyType:
      ContextQueue(.own(DispatchQueue(label: "MomKit.NSManagedObjectContext")))
    case .confinementConcurrencyType: ContextQueue(.confined)
    }
  }

  // MARK: The main queue

  private static let main: ContextQueue = {
    DispatchQueue.main.setSpecific(key: mainKey, value: true)
    return ContextQueue(.main)
  }()

  private static let mainKey = DispatchSpecificKey<Bool>()

  /// Whether the main queue's block is running, or the main thread, which no other may be meanwhile.
  ///
  /// After `dispatchMain()`, which programs with an asynchronous `main` call outside Apple's systems,
  /// there is no main thread: other threads take the blocks and the main actor's work in turns.
  private static var isOnMain: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainKey) == true
  }

  // MARK: Turns

  /// Whether the caller is on the queue already.
  var isCurrent: Bool {
    switch kind {
    case .confined: true
    case .main: Self.isOnMain || HeldQueues.current?.contains(self) == true
    case .own: HeldQueues.current?.contains(self) == true
    }
  }

  /// Whether what happens outside of blocks belongs to a turn of the main queue, which ends.
  var hasTurns: Bool {
    if case .main = kind { return true }
    return false
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    guard let queue else { return work() }
    queue.async { [self] in HeldQueues.hold(self, lent: nil, work) }
  }

  /// Runs `work` on the queue and waits for it.
  ///
  /// - Returns: what `work` gives.
  func sync<Result>(_ work: () throws -> Result) rethrows -> Result {
    guard let queue, !isCurrent else { return try work() }
    var held = HeldQueues.current
    // On a thread that isn't the main one the main queue is found only while no other is in between.
    if case .own = kind, Self.isOnMain, held?.contains(Self.main) != true {
      held = HeldQueues(Self.main, outer: held)
    }
    return try queue.sync { try HeldQueues.hold(self, lent: held, work) }
  }

  private var queue: DispatchQueue? {
    switch kind {
    case .main: .main
    case .own(let queue): queue
    case .confined: nil
    }
  }
}

/// The queues whose blocks a thread is running, one inside of the other: the innermost, and those around
/// it.
private final class HeldQueues: @unchecked Sendable {
  private let queue: ContextQueue
  private let outer: HeldQueues?

  init(_ queue: ContextQueue, outer: HeldQueues?) {
    self.queue = queue
    self.outer = outer
  }

  /// Whether a queue is among them.
  func contains(_ queue: ContextQueue) -> Bool {
    var next: HeldQueues? = self
    while let held = next {
      if held.queue === queue { return true }
      next = held.outer
    }
    return false
  }

  /// Runs `work` in a block of `queue`.
  ///
  /// - Parameter lent: the queues of the thread that waits for the block; this may be another one.
  static func hold<Result>(
    _ queue: ContextQueue, lent: HeldQueues?, _ work: () throws -> Result
  ) rethrows -> Result {
    let before = current
    defer { current = before }
    var held = lent
    // A run loop may be running inside of this thread's own blocks.
    if before !== lent {
      var next = before
      while let own = next {
        if held?.contains(own.queue) != true { held = HeldQueues(own.queue, outer: held) }
        next = own.outer
      }
    }
    current = HeldQueues(queue, outer: held)
    return try work()
  }

  private static let ofThread = ThreadReference<HeldQueues>()

  /// The queues this thread is in; nil for none.
  static var current: HeldQueues? {
    get { ofThread.object }
    set { ofThread.object = newValue }
  }
}
