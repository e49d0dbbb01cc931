#if Publishers && !canImport(ObjectiveC)
  import Foundation
  import OpenCombine

  extension KeyValueObserving {
    /// A publisher for the values of a property.
    ///
    /// ```swift
    /// person.publisher(for: \.name).sink { label.text = $0 }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: the property.
    ///   - options: whether the current value is published first (`.initial`, the default). Published values are
    ///     always new ones.
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> KeyValueObservingPublisher<Self, Value> {
      KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
  }

  /// A publisher for the values of a property, which are published under the same conditions as
  /// ``KeyValueObserving/observe(_:options:changeHandler:)`` reports them, on the thread that makes the change.
  ///
  /// While a subscriber has no demand, it misses intermediate values and receives the latest one when it requests
  /// more. A subscription doesn't retain the object, and never completes.
  public struct KeyValueObservingPublisher<Object: KeyValueObserving, Value>: Publisher {
    /// The property's value.
    public typealias Output = Value
    /// The publisher never fails.
    public typealias Failure = Never

    /// The observed object.
    public let object: Object
    /// The observed property.
    public let keyPath: KeyPath<Object, Value>
    /// The options.
    public let options: NSKeyValueObservingOptions

    /// Starts observing the property for a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      let subscription = ValueSubscription(subscriber)
      subscriber.receive(subscription: subscription)
      // A cancelled subscriber receives nothing.
      subscription.observe(object, keyPath, initial: options.contains(.initial))
    }
  }

  /// A subscription to a property's values.
  private final class ValueSubscription<S: Subscriber>: Subscription where S.Failure == Never {
    private let lock = NSRecursiveLock()
    private var subscriber: S?
    private var demand = Subscribers.Demand.none
    /// The latest value, while the subscriber has no demand.
    private var waiting: S.Input?
    private var observation: NSKeyValueObservation?

    init(_ subscriber: S) { self.subscriber = subscriber }

    func observe<Object: KeyValueObserving>(
      _ object: Object, _ keyPath: KeyPath<Object, S.Input>, initial: Bool
    ) {
      guard lock.withLock({ subscriber != nil }) else { return }
      let token = object.observe(keyPath, options: .new) { [weak self] object, _ in
        self?.send(object[keyPath: keyPath])
      }
      lock.withLock { if subscriber != nil { observation = token } }
      if initial { send(object[keyPath: keyPath]) }
    }

    func request(_ more: Subscribers.Demand) {
      let value: S.Input? = lock.withLock {
        demand += more
        guard demand > .none else { return nil }
        defer { waiting = nil }
        return waiting
      }
      if let value { send(value) }
    }

    func cancel() {
      let token = lock.withLock {
        defer { (subscriber, waiting, observation) = (nil, nil, nil) }
        return observation
      }
      token?.invalidate()
    }

    private func send(_ value: S.Input) {
      let receiver: S? = lock.withLock {
        guard demand > .none else {
          waiting = value
          return nil
        }
        demand -= 1
        return subscriber
      }
      guard let receiver else { return }
      let more = receiver.receive(value)
      if more > .none { request(more) }
    }
  }
#endif
