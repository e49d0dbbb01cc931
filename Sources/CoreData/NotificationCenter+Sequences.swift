#if !canImport(Darwin)
  import Foundation
  import MomKit

  extension NotificationCenter {
    /// Returns an asynchronous sequence of the notifications with a name, from one sender or all.
    ///
    /// Iteration observes notifications from the moment it begins.
    public func notifications(
      named name: Notification.Name, object: AnyObject? = nil
    ) -> Notifications {
      Notifications(center: self, name: name, object: object)
    }

    /// An asynchronous sequence of notifications.
    public final class Notifications: AsyncSequence, @unchecked Sendable {
      // Sendable: its state is only passed to the center, which is thread-safe.

      /// The type of the elements.
      public typealias Element = Notification

      private let center: NotificationCenter
      private let name: Notification.Name
      private let object: AnyObject?

      fileprivate init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
        (self.center, self.name, self.object) = (center, name, object)
      }

      /// Starts observing and returns an iterator.
      public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
        let observer = center.addObserver(forName: name, object: object, queue: nil) { posted in
          continuation.yield(Posted(notification: posted))
        }
        return Iterator(
          listening: Listening(center: center, observer: observer),
          posted: stream.makeAsyncIterator())
      }

      /// The iterator of a sequence of notifications.
      public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listening: Listening
        fileprivate var posted: AsyncStream<Posted>.Iterator

        /// Waits for the next notification; returns nil when the task is cancelled.
        public mutating func next() async -> Notification? {
          await posted.next()?.notification
        }
      }

      fileprivate struct Posted: @unchecked Sendable {
        // Sendable: a notification is not modified after it has been posted.
        let notification: Notification
      }

      /// An observation that ends with the iteration.
      fileprivate final class Listening: @unchecked Sendable {
        // Sendable: immutable.
        private let center: NotificationCenter
        private let observer: NSObjectProtocol

        init(center: NotificationCenter, observer: NSObjectProtocol) {
          (self.center, self.observer) = (center, observer)
        }

        deinit { center.removeLater([observer]) }
      }
    }
  }
#endif
