import CoreData
import Testing

/// Observers by key paths as text of objects that are polled.
@Suite struct PolledObserverTests {
  private final class Watcher: NSObject, KeyValueObserver, @unchecked Sendable {
    // Sendable: guarded by its lock.
    private let lock = NSLock()
    private var values: [Double] = []

    var seen: [Double] { lock.withLock { values } }

    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      let value = change?[.newKey] as? Double ?? .nan
      lock.withLock { values.append(value) }
    }
  }

  @Test func progressIsObserved() async throws {
    let progress = Progress(totalUnitCount: 4)
    let watcher = Watcher()
    progress.addObserver(
      watcher, forKeyPath: "fractionCompleted", options: [.initial, .new], context: nil)
    #expect(watcher.seen == [0])
    progress.completedUnitCount = 2
    for _ in 0..<1000 where watcher.seen.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(watcher.seen.last == 0.5)
    progress.removeObserver(watcher, forKeyPath: "fractionCompleted")
    progress.completedUnitCount = 4
    try await Task.sleep(for: .milliseconds(50))
    #expect(watcher.seen.last == 0.5)
  }

  /// An operation that counts how often it is asked for its state.
  private final class CountingOperation: Operation, @unchecked Sendable {
    // Sendable: guarded by its lock.
    private let lock = NSLock()
    private var reads = 0

    var count: Int { lock.withLock { reads } }

    override var isReady: Bool {
      lock.withLock { reads += 1 }
      return super.isReady
    }
  }

  private final class LeavingWatcher: NSObject, KeyValueObserver {
    private let operation: CountingOperation
    private let removesItself: Bool

    init(_ operation: CountingOperation, removesItself: Bool) {
      self.operation = operation
      self.removesItself = removesItself
      super.init()
      operation.addObserver(self, forKeyPath: "isReady", context: nil)
    }

    deinit { if removesItself { operation.removeObserver(self, forKeyPath: "isReady") } }

    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {}
  }

  /// An observer may remove itself when it ends, or forget it.
  @Test(arguments: [true, false])
  func nothingIsPolledForAnObserverThatIsGone(removesItself: Bool) async throws {
    let operation = CountingOperation()
    do {
      let watcher = LeavingWatcher(operation, removesItself: removesItself)
      for _ in 0..<1000 where operation.count < 3 { try await Task.sleep(for: .milliseconds(10)) }
      withExtendedLifetime(watcher) {}
    }
    // The last looks may be under way, or wait for a busy machine.
    var (before, count) = (-1, operation.count)
    for _ in 0..<100 where before != count {
      try await Task.sleep(for: .milliseconds(100))
      (before, count) = (count, operation.count)
    }
    #expect(count >= 3)
    #expect(before == count)
  }

  /// The timer keeps what the observer's closure has captured.
  @Test func whatIsGoneIsNotPolled() async throws {
    final class Mark: Sendable {}
    weak var mark: Mark?
    var progress: Progress? = Progress(totalUnitCount: 1)
    let token: NSKeyValueObservation?
    do {
      let own = Mark()
      mark = own
      token = progress?.observe(\.completedUnitCount) { _, _ in withExtendedLifetime(own) {} }
    }
    #expect(mark != nil)
    progress = nil
    for _ in 0..<1000 where mark != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(mark == nil)
    withExtendedLifetime(token) {}
  }
}
