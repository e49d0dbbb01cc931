#if !canImport(ObjectiveC)
  import Foundation

  extension NotificationCenter {
    /// Adds an observer whose block runs on a queue, like Foundation's method of this name, which takes an optional
    /// queue.
    ///
    /// Foundation runs a block on the main queue at once only if a notification is posted on the main thread. A program
    /// with an asynchronous `main` has no such thread: the main queue's blocks and the main actor's jobs run on others,
    /// and Foundation's method would wait there for the queue it is on. This one recognizes the queue itself.
    ///
    /// - Returns: the observer, for `removeObserver(_:)`.
    public func addObserver(
      forName name: NSNotification.Name?, object: Any?, queue: OperationQueue,
      using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
      guard queue === OperationQueue.main else {
        return addObserver(forName: name, object: object, queue: .some(queue), using: block)
      }
      return addObserver(forName: name, object: object, queue: OperationQueue?.none) {
        notification in
        guard !ContextQueue.isMainQueueCurrent else { return block(notification) }
        let posted = Transfer(value: notification)
        OperationQueue.main.addOperations(
          [BlockOperation { block(posted.value) }], waitUntilFinished: true)
      }
    }
  }
#endif
