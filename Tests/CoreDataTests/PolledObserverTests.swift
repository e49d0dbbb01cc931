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
}
