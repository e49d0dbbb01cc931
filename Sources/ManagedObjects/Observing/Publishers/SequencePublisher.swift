#if Publishers
  import Foundation
  import OpenCombine

  /// A publisher for the elements of an asynchronous sequence: fetch updates, changes or history.
  ///
  /// ```swift
  /// let token = context.updates(of: request).publisher
  ///   .receive(on: DispatchQueue.main.ocombine)
  ///   .sink(receiveCompletion: { _ in }) { show($0.objects) }
  /// ```
  ///
  /// Each subscriber has its own iteration of the sequence, which starts with the subscription. An element is
  /// requested when the subscriber has demand; changes in between are coalesced as by the sequence itself. Elements
  /// are delivered one after another from the task that awaits them. Cancelling the subscription cancels the task.
  public struct SequencePublisher<Elements: AsyncSequence & Sendable>: Publisher {
    /// The sequence's elements.
    public typealias Output = Elements.Element
    /// The error that the sequence may throw.
    public typealias Failure = Elements.Failure

    private let elements: Elements

    init(_ elements: Elements) { self.elements = elements }

    /// Starts an iteration for a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      subscriber.receive(subscription: SequenceSubscription(elements, subscriber))
    }
  }

  extension FetchUpdates {
    /// A publisher for the updates.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
  }

  extension ManagedObjectContextChanges {
    /// A publisher for the changes.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
  }

  extension PersistentHistoryTransactions {
    /// A publisher for the transactions.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
  }

  /// A subscription to a sequence's elements.
  private final class SequenceSubscription: Subscription {
    private let demands: AsyncStream<Subscribers.Demand>.Continuation
    private let task: Task<Void, Never>

    init<Elements: AsyncSequence & Sendable, S: Subscriber>(_ elements: Elements, _ subscriber: S)
    where S.Input == Elements.Element, S.Failure == Elements.Failure {
      let (requests, demands) = AsyncStream.makeStream(of: Subscribers.Demand.self)
      // The iteration observes from now on; the task may start after the next change.
      let listener = SequenceListener<Elements>(
        iterator: elements.makeAsyncIterator(), take: { subscriber.receive($0) },
        end: { subscriber.receive(completion: $0) })
      self.demands = demands
      task = Task { await listener.listen(requests) }
    }

    deinit { cancel() }

    func request(_ demand: Subscribers.Demand) { demands.yield(demand) }

    func cancel() {
      demands.finish()
      task.cancel()
    }
  }

  /// Forwards the sequence's elements to the subscriber.
  // Sendable: called by a single task.
  private struct SequenceListener<Elements: AsyncSequence & Sendable>: @unchecked Sendable {
    let iterator: Elements.AsyncIterator
    let take: (Elements.Element) -> Subscribers.Demand
    let end: (Subscribers.Completion<Elements.Failure>) -> Void

    func listen(_ requests: AsyncStream<Subscribers.Demand>) async {
      var iterator = iterator
      do throws(Elements.Failure) {
        for await request in requests {
          var demand = request
          while demand > .none {
            let element = try await iterator.next(isolation: nil)
            guard !Task.isCancelled else { return }
            guard let element else { return end(.finished) }
            demand -= 1
            demand += take(element)
          }
        }
      } catch {
        if !Task.isCancelled { end(.failure(error)) }
      }
    }
  }
#endif
