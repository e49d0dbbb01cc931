import Dispatch
import Foundation

/// The queue a context runs on: the main queue, which all main queue contexts share, a private queue, or none.
///
/// Synchronous execution is reentrant, however deep queues are nested. A thread that waits inside blocks of other
/// queues lends these queues to the block it waits for, which may run on the main thread. The code a block calls may
/// therefore use every queue that its callers hold.
final class ContextQueue: @unchecked Sendable {
  // Sendable: it is a queue, and what it refers to is set when it is created.

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

  /// Whether the caller runs in a block of the main queue or on the main thread, which are mutually exclusive.
  ///
  /// After `dispatchMain()`, which programs with an asynchronous `main` call outside Apple's systems, there is no
  /// main thread: other threads take turns running the main queue's blocks and the main actor's jobs.
  private static var isOnMain: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainKey) == true
  }

  /// Whether the caller runs on the main queue, whether or not there is a main queue context yet.
  static var isMainQueueCurrent: Bool {
    _ = main
    return isOnMain
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

  /// Whether code outside blocks runs in a turn of the main queue's run loop.
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
  /// - Returns: the result of `work`.
  func sync<Result>(_ work: () throws -> Result) rethrows -> Result {
    guard let queue, !isCurrent else { return try work() }
    var held = HeldQueues.current
    // On other threads than the main one, the main queue is found only while no other queue's block is nested in
    // between.
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

/// A linked list of the queues whose nested blocks a thread is running, innermost first.
private final class HeldQueues: @unchecked Sendable {
  // Sendable: nothing of it changes.

  private let queue: ContextQueue
  private let outer: HeldQueues?

  init(_ queue: ContextQueue, outer: HeldQueues?) {
    self.queue = queue
    self.outer = outer
  }

  /// Whether a queue is in the list.
  func contains(_ queue: ContextQueue) -> Bool {
    var next: HeldQueues? = self
    while let held = next {
      if held.queue === queue { return true }
      next = held.outer
    }
    return false
  }

  /// Runs `work` as a block of `queue`.
  ///
  /// - Parameter lent: the queues of the thread that waits for the block, which may be another thread.
  static func hold<Result>(
    _ queue: ContextQueue, lent: HeldQueues?, _ work: () throws -> Result
  ) rethrows -> Result {
    let before = current
    defer { current = before }
    var held = lent
    // A run loop may be running inside this thread's own blocks.
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

  /// The queues the current thread is in; nil if there are none.
  static var current: HeldQueues? {
    get { ofThread.object }
    set { ofThread.object = newValue }
  }
}
