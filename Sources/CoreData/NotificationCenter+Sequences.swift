#if !canImport(Darwin)
  import Foundation

  extension NotificationCenter {
    /// The notifications of a name, as they are posted, of one sender or of all.
    ///
    /// A loop over them begins to listen when it begins, and gets all from then on.
    public func notifications(
      named name: Notification.Name, object: AnyObject? = nil
    ) -> Notifications {
      Notifications(center: self, name: name, object: object)
    }

    /// Notifications to loop over.
    public final class Notifications: AsyncSequence, @unchecked Sendable {
      // Sendable: what it has is only handed to the center, which may be used by any thread.

      /// What a loop gets.
      public typealias Element = Notification

      private let center: NotificationCenter
      private let name: Notification.Name
      private let object: AnyObject?

      fileprivate init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
        (self.center, self.name, self.object) = (center, name, object)
      }

      /// Begins to listen.
      public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
        let observer = center.addObserver(forName: name, object: object, queue: nil) { posted in
          continuation.yield(Posted(notification: posted))
        }
        return Iterator(
          listening: Listening(center: center, observer: observer),
          posted: stream.makeAsyncIterator())
      }

      /// A loop's place among the notifications.
      public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listening: Listening
        fileprivate var posted: AsyncStream<Posted>.Iterator

        /// The next notification, when it is posted; nil when the task is cancelled.
        public mutating func next() async -> Notification? {
          await posted.next()?.notification
        }
      }

      fileprivate struct Posted: @unchecked Sendable {
        // Sendable: whoever posts a notification doesn't change it any more.
        let notification: Notification
      }

      /// What ends with the loop.
      fileprivate final class Listening: @unchecked Sendable {
        // Sendable: nothing of it changes.
        private let center: NotificationCenter
        private let observer: NSObjectProtocol

        init(center: NotificationCenter, observer: NSObjectProtocol) {
          (self.center, self.observer) = (center, observer)
        }

        deinit { center.removeObserver(observer) }
      }
    }
  }
#endif
