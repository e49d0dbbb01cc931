#if Publishers
  import Foundation
  import OpenCombine

  /// Publishes the elements of a sequence that is waited for: of fetches, changes or history.
  ///
  /// ```swift
  /// let token = context.updates(of: request).publisher
  ///   .receive(on: DispatchQueue.main.ocombine)
  ///   .sink(receiveCompletion: { _ in }) { show($0.objects) }
  /// ```
  ///
  /// Each subscriber has a turn of the sequence of its own, which begins with the subscription. An element is asked
  /// for when the subscriber asks for it, so that what happens meanwhile is put together as the sequence does. Elements
  /// come from the task that waits for them, one after the other. Cancelling ends the task.
  public struct SequencePublisher<Elements: AsyncSequence & Sendable>: Publisher {
    /// What is told.
    public typealias Output = Elements.Element
    /// What waiting for it may throw.
    public typealias Failure = Elements.Failure

    private let elements: Elements

    init(_ elements: Elements) { self.elements = elements }

    /// Begins to listen for a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      subscriber.receive(subscription: SequenceSubscription(elements, subscriber))
    }
  }

  extension FetchUpdates {
    /// The updates, published.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
  }

  extension ManagedObjectContextChanges {
    /// The changes, published.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
  }

  extension PersistentHistoryTransactions {
    /// The transactions, published.
    public var publisher: SequencePublisher<Self> { SequencePublisher(self) }
  }

  /// A subscriber that hears of a sequence's elements.
  private final class SequenceSubscription: Subscription {
    private let demands: AsyncStream<Subscribers.Demand>.Continuation
    private let task: Task<Void, Never>

    init<Elements: AsyncSequence & Sendable, S: Subscriber>(_ elements: Elements, _ subscriber: S)
    where S.Input == Elements.Element, S.Failure == Elements.Failure {
      let (requests, demands) = AsyncStream.makeStream(of: Subscribers.Demand.self)
      let listener = SequenceListener<Elements>(
        take: { subscriber.receive($0) }, end: { subscriber.receive(completion: $0) })
      self.demands = demands
      task = Task { await listener.listen(to: elements, requests) }
    }

    deinit { cancel() }

    func request(_ demand: Subscribers.Demand) { demands.yield(demand) }

    func cancel() {
      demands.finish()
      task.cancel()
    }
  }

  /// Who hands the elements on.
  // Sendable: one task alone calls it.
  private struct SequenceListener<Elements: AsyncSequence & Sendable>: @unchecked Sendable {
    let take: (Elements.Element) -> Subscribers.Demand
    let end: (Subscribers.Completion<Elements.Failure>) -> Void

    func listen(to elements: Elements, _ requests: AsyncStream<Subscribers.Demand>) async {
      var iterator = elements.makeAsyncIterator()
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
