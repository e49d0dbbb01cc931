import CoreData
import Foundation
import Synchronization
import Testing

/// A program's own class, as `momtool port` writes one with `@objc dynamic` properties.
private class Download: NSObject, KeyValueNotifying {
  var received = 0 {
    willSet { keyValueWillChange("received") }
    didSet { keyValueDidChange("received") }
  }
  var lamp: Lamp? {
    willSet { keyValueWillChange("lamp") }
    didSet { keyValueDidChange("lamp") }
  }
  var summary: String { "\(received) bytes" }
  class var observableProperties: [String: AnyKeyPath] {
    ["received": \Download.received, "summary": \Download.summary]
  }
}

/// An operation that finishes when told to.
private final class Waiting: Operation, KeyValueNotifying, @unchecked Sendable {
  enum State { case ready, executing, finished }
  private let lock = Mutex(State.ready)
  var state: State {
    get { lock.withLock { $0 } }
    set {
      keyValueWillChange("state")
      defer { keyValueDidChange("state") }
      lock.withLock { $0 = newValue }
    }
  }
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state == .executing }
  override var isFinished: Bool { state == .finished }
  override func start() { state = .executing }
}

@Suite struct KeyValueNotifyingTests {
  @Test func `observers hear of other values at once, computed ones too`() {
    let download = Download()
    var told: [[Int?]] = []
    var summaries: [String] = []
    let tokens = [
      download.observe(\.received, options: [.old, .new]) { download, change in
        told.append([change.oldValue, change.newValue, download.received])
      },
      download.observe(\.summary, options: .initial) { download, _ in
        summaries.append(download.summary)
      },
    ]
    download.received = 5
    download.received = 5
    download.received += 1
    #expect(told == [[0, 5, 5], [5, 6, 6]])
    #expect(summaries == ["0 bytes", "5 bytes", "6 bytes"])
    for token in tokens { token.invalidate() }
    download.received = 9
    #expect(told.count == 2)
  }

  @Test func `observers are called by the method that Objective-C calls`() {
    final class Watcher: KeyValueObserver {
      var told: [String] = []
      func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
      ) {
        told.append("\(keyPath ?? "") \(change?[.newKey] ?? "")")
      }
    }
    let (download, watcher) = (Download(), Watcher())
    download.addObserver(watcher, forKeyPath: "received", options: .new, context: nil)
    download.addObserver(watcher, forKeyPath: "summary", options: [.initial, .new], context: nil)
    download.received = 2
    #expect(watcher.told == ["summary 0 bytes", "received 2", "summary 2 bytes"])
    download.removeObserver(watcher, forKeyPath: "received")
    download.removeObserver(watcher, forKeyPath: "summary", context: nil)
    download.received = 3
    #expect(watcher.told.count == 3)
  }

  /// While one thread looks which observers are still there, another lets go of one: the first then has the last reference.
  @Test func `observers that remove themselves may end at any moment`() {
    // Sendable: it has no state.
    final class Level: NSObject, KeyValueNotifying, @unchecked Sendable {
      var level: Int { 0 }
      static var observableProperties: [String: AnyKeyPath] { ["level": \Level.level] }
    }
    final class Leaving: KeyValueObserver {
      private let observed: Level
      init(_ observed: Level) {
        self.observed = observed
        observed.addObserver(self, forKeyPath: "level", context: nil)
      }
      deinit { observed.removeObserver(self, forKeyPath: "level") }
      func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
      ) {}
    }
    let observed = Level()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<2000 { _ = Leaving(observed) }
    }
  }

  @Test func `changes that a program tells of itself are heard`() {
    final class Manual: NSObject, KeyValueNotifying {
      private(set) var level = 0
      func raise() {
        willChangeValue(for: \.level)
        level += 1
        didChangeValue(for: \.level)
      }
    }
    let manual = Manual()
    var levels: [Int] = []
    let token = manual.observe(\.level) { manual, _ in levels.append(manual.level) }
    manual.raise()
    manual.raise()
    #expect(levels == [1, 2])
    withExtendedLifetime(token) {}
  }

  @Test func `an observed object isn't kept, and one that nobody observes isn't either`() {
    weak var gone: Download?
    do {
      let download = Download()
      gone = download
      _ = download.observe(\.received) { _, _ in }
      download.received = 1
    }
    #expect(gone == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `a queue hears that an operation is over`() async {
    let queue = OperationQueue()
    let (waiting, after) = (Waiting(), BlockOperation())
    after.addDependency(waiting)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      after.addExecutionBlock { continuation.resume() }
      queue.addOperations([waiting, after], waitUntilFinished: false)
      DispatchQueue.global().async {
        while waiting.state != .executing { Thread.sleep(forTimeInterval: 0.001) }
        waiting.state = .finished
      }
    }
    #expect(waiting.isFinished)
  }
}
