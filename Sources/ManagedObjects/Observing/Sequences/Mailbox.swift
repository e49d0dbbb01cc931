import Foundation
import Synchronization

/// A single-slot channel to a waiting reader. New content is merged with content that hasn't been read yet, so that a
/// slow reader costs no more than one slot.
final class Mailbox<Content: Sendable>: Sendable {
  private let content = Mutex<Content?>(nil)
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init() {
    (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { waker.finish() }

  /// Updates the slot's content, which is nil if everything has been read, and wakes the reader.
  func put(_ change: (inout sending Content?) -> Void) {
    content.withLock { change(&$0) }
    waker.yield()
  }

  /// Creates the reader; there must be only one.
  func makeReader() -> Reader { Reader(mailbox: self, wakes: wakes.makeAsyncIterator()) }

  private func take() -> Content? {
    content.withLock { content in
      defer { content = nil }
      return content
    }
  }

  /// The reading side.
  struct Reader {
    fileprivate let mailbox: Mailbox
    fileprivate var wakes: AsyncStream<Void>.AsyncIterator

    /// The content since the last call; nil once the task is cancelled.
    mutating func next() async -> Content? {
      while !Task.isCancelled {
        if let content = mailbox.take() { return content }
        guard await wakes.next(isolation: #isolation) != nil else { return nil }
      }
      return nil
    }
  }
}

/// Notification observers that are removed when this object is deallocated.
final class NotificationObservers: Sendable {
  private let tokens = Mutex<[Token]>([])

  // Sendable: the token is only passed back to the notification center.
  private struct Token: @unchecked Sendable { let value: any NSObjectProtocol }

  /// Adds an observer that is called on the posting thread.
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
    tokens.withLock { tokens in NotificationCenter.default.removeLater(tokens.map { $0.value }) }
  }
}
