#if !canImport(ObjectiveC)
  import Foundation
  import Synchronization

  /// Classes other than managed objects that report changes of their properties, as `@objc dynamic` properties do with
  /// the Objective-C runtime.
  ///
  /// ```swift
  /// final class Download: NSObject, KeyValueNotifying {
  ///   var fraction = 0.0 {
  ///     willSet { keyValueWillChange("fraction") }
  ///     didSet { keyValueDidChange("fraction") }
  ///   }
  /// }
  /// ```
  ///
  /// `momtool port` makes classes with such properties adopt it. After each reported change, the values of all observed
  /// properties of the object are compared, computed ones included, and observers are called for those that differ, on
  /// the thread that made the change. For an `Operation`, changes of `isReady`, `isExecuting`, `isFinished` and
  /// `isCancelled` are passed on to its queue.
  public protocol KeyValueNotifying: KeyValueObserving {
    /// The properties that `addObserver(_:forKeyPath:options:context:)` can observe, by name.
    static var observableProperties: [String: AnyKeyPath] { get }
  }

  extension KeyValueNotifying {
    /// No properties.
    public static var observableProperties: [String: AnyKeyPath] { [:] }

    /// Call this before a property changes.
    public func keyValueWillChange(_ key: String) {
      if let operation = self as? Operation { OperationStates.shared.push(operation) }
    }

    /// Call this after a property has changed, once for each ``keyValueWillChange(_:)``.
    public func keyValueDidChange(_ key: String) {
      if ObjectObservers.hasNotifying.isSet { ObjectObservers.shared.notify(of: self) }
      if let operation = self as? Operation { OperationStates.shared.pop(operation) }
    }

    /// Call this before a property changes, if the class reports changes manually.
    public func willChangeValue(forKey key: String) { keyValueWillChange(key) }

    /// Call this after the property has changed.
    public func didChangeValue(forKey key: String) { keyValueDidChange(key) }

    /// Call this before a property changes, if the class reports changes manually.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) { keyValueWillChange("") }

    /// Call this after the property has changed.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) { keyValueDidChange("") }

    /// Calls a closure after each change of the value at a key path, as long as the result is retained.
    ///
    /// - Parameters:
    ///   - keyPath: one of ``observableProperties``, or several keys joined by dots. Changes of intermediate objects
    ///     aren't noticed until the first one changes. An unknown key is a programmer error and traps.
    ///   - options: which values the closure gets; a missing value is `NSNull`.
    ///   - changeHandler: the closure to call.
    public func observe(
      keyPath: String, options: NSKeyValueObservingOptions = [],
      changeHandler: @escaping (Self, NSKeyValueObservedChange<AnyHashable>) -> Void
    ) -> NSKeyValueObservation {
      observe(\.[notified: keyPath], options: options, changeHandler: changeHandler)
    }

    fileprivate subscript(notified keyPath: String) -> AnyHashable {
      let keys = keyPath.split(separator: ".", maxSplits: 1).map(String.init)
      guard let key = keys.first, let path = Self.observableProperties[key] else {
        preconditionFailure(
          "-[\(type(of: self)) addObserver:forKeyPath:options:context:]: \(keyPath) isn't an observable property"
        )
      }
      let value = AttributeCodec.unwrapped(self[keyPath: path])
      guard keys.count > 1 else {
        return value as? AnyHashable ?? AnyHashable(NSNull())
      }
      if let next = value as? any KeyValueNotifying { return next[notified: keys[1]] }
      if let next = value as? NSManagedObject {
        return next.value(forKeyPath: keys[1]) as? AnyHashable ?? AnyHashable(NSNull())
      }
      return AnyHashable(NSNull())
    }
  }

  extension Operation: KeyValueObserving {}

  /// The states of operations before the changes being made. Foundation must be notified when a state differs
  /// afterwards, which the Objective-C runtime detects by itself.
  private final class OperationStates: Sendable {
    static let shared = OperationStates()

    private struct State: Sendable {
      let isReady, isExecuting, isFinished, isCancelled: Bool

      init(_ operation: Operation) {
        isReady = operation.isReady
        isExecuting = operation.isExecuting
        isFinished = operation.isFinished
        isCancelled = operation.isCancelled
      }
    }

    private let before = Mutex<[ObjectIdentifier: [State]]>([:])

    func push(_ operation: Operation) {
      let state = State(operation)
      before.withLock { $0[ObjectIdentifier(operation), default: []].append(state) }
    }

    func pop(_ operation: Operation) {
      let id = ObjectIdentifier(operation)
      let old = before.withLock { before in
        let old = before[id]?.popLast()
        if before[id]?.isEmpty ?? false { before[id] = nil }
        return old
      }
      guard let old else { return }
      let new = State(operation)
      if old.isReady != new.isReady { operation.didChangeValue(forKey: "isReady") }
      if old.isCancelled != new.isCancelled { operation.didChangeValue(forKey: "isCancelled") }
      if old.isExecuting != new.isExecuting { operation.didChangeValue(forKey: "isExecuting") }
      if old.isFinished != new.isFinished { operation.didChangeValue(forKey: "isFinished") }
    }
  }
#endif
