#if Publishers && !canImport(ObjectiveC)
  import Foundation
  import OpenCombine

  extension KeyValueObserving {
    /// Publishes the values of a property.
    ///
    /// ```swift
    /// person.publisher(for: \.name).sink { label.text = $0 }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: which property.
    ///   - options: whether the present value comes first (`.initial`, so unless said otherwise). Values are always new
    ///     ones.
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> KeyValueObservingPublisher<Self, Value> {
      KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
  }

  /// Publishes the values of a property, as ``KeyValueObserving/observe(_:options:changeHandler:)`` tells of them: at once,
  /// on the thread that makes the change.
  ///
  /// A subscriber that has asked for no more values misses those between: it gets the last one when it asks. A
  /// subscription doesn't keep the object, and never ends by itself.
  public struct KeyValueObservingPublisher<Object: KeyValueObserving, Value>: Publisher {
    /// The property's value.
    public typealias Output = Value
    /// It never fails.
    public typealias Failure = Never

    /// Whose property it is.
    public let object: Object
    /// Which property.
    public let keyPath: KeyPath<Object, Value>
    /// What is told.
    public let options: NSKeyValueObservingOptions

    /// Begins to observe the property for a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      let subscription = ValueSubscription(subscriber)
      subscriber.receive(subscription: subscription)
      // Nobody hears of what a subscriber has cancelled already.
      subscription.observe(object, keyPath, initial: options.contains(.initial))
    }
  }

  /// A subscriber that hears of a property's values.
  private final class ValueSubscription<S: Subscriber>: Subscription where S.Failure == Never {
    private let lock = NSRecursiveLock()
    private var subscriber: S?
    private var demand = Subscribers.Demand.none
    /// The last value, while the subscriber has asked for none.
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
