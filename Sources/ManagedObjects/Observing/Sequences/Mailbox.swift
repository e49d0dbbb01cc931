import Foundation
import Synchronization

/// What one side leaves for another that waits: what wasn't fetched yet is put together with what comes, so that a
/// slow reader costs no more than one letter.
final class Mailbox<Content: Sendable>: Sendable {
  private let content = Mutex<Content?>(nil)
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init() {
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { waker.finish() }

  /// Leaves something: what is there already, or nil, becomes what is there then.
  func put(_ change: (inout sending Content?) -> Void) {
    content.withLock { change(&$0) }
    waker.yield()
  }

  /// A reader; there may be one.
  func makeReader() -> Reader { Reader(mailbox: self, wakes: wakes.makeAsyncIterator()) }

  private func take() -> Content? {
    content.withLock { content in
      defer { content = nil }
      return content
    }
  }

  /// Who waits.
  struct Reader {
    fileprivate let mailbox: Mailbox
    fileprivate var wakes: AsyncStream<Void>.AsyncIterator

    /// What was left since the last time; nil once the task is cancelled.
    mutating func next() async -> Content? {
      while !Task.isCancelled {
        if let content = mailbox.take() { return content }
        guard await wakes.next(isolation: #isolation) != nil else { return nil }
      }
      return nil
    }
  }
}

/// Observers of notifications, which go with it.
final class NotificationObservers: Sendable {
  private let tokens = Mutex<[Token]>([])

  // Handed back to the center only.
  private struct Token: @unchecked Sendable { let value: any NSObjectProtocol }

  /// Has a block called on the thread that posts.
  func add(
    _ name: Notification.Name, _ object: AnyObject?,
    _ block: @escaping @Sendable (Notification) -> Void
  ) {
    let token = Token(
      value: NotificationCenter.default.addObserver(
        forName: name, object: object, queue: nil, using: block))
    tokens.withLock { $0.append(token) }
  }

  deinit {
    tokens.withLock { tokens in
      for token in tokens { NotificationCenter.default.removeObserver(token.value) }
    }
  }
}
