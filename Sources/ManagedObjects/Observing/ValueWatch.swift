#if !canImport(ObjectiveC)
  import Foundation
  import Synchronization

  /// An observer of a value.
  class AnyValueWatch: @unchecked Sendable {
    // Sendable: used by one thread at a time: that of the object's context, or the timer's.

    /// Whether the value is a collection, which takes time to make and to compare.
    var isOfCollection: Bool { false }

    /// Whether the object is gone, or its observer, so that there is nothing to look for any more.
    var isOver: Bool { false }

    /// Compares the value, and notifies the observer if it has changed.
    func look() {}
  }

  /// A typed observer of a value.
  final class ValueWatch<Object: NSObject, Value>: AnyValueWatch, @unchecked Sendable {
    // Sendable: used by one thread at a time: that of the object's context, or the timer's.
    private weak var object: Object?
    private let keyPath: KeyPath<Object, Value>
    private let options: NSKeyValueObservingOptions
    private let isWanted: () -> Bool
    private let handler: (Object, NSKeyValueObservedChange<Value>) -> Void
    // Objects that aren't managed may change on several threads.
    private let lock = NSLock()
    private var last: Value

    init(
      object: Object, keyPath: KeyPath<Object, Value>, options: NSKeyValueObservingOptions,
      isWanted: @escaping () -> Bool,
      handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) {
      self.object = object
      self.keyPath = keyPath
      self.options = options
      self.isWanted = isWanted
      self.handler = handler
      last = object[keyPath: keyPath]
    }

    override var isOfCollection: Bool { Value.self is any Collection.Type }

    override var isOver: Bool { object == nil || !isWanted() }

    override func look() {
      guard let object else { return }
      let new = object[keyPath: keyPath]
      let old = lock.withLock { () -> Value? in
        guard !Self.areEqual(last, new) else { return nil }
        defer { last = new }
        return last
      }
      if let old { notify(new: new, old: old) }
    }

    /// Reports the current value.
    func notifyInitially() { notify(new: lock.withLock { last }, old: nil) }

    private func notify(new: Value, old: Value?) {
      guard let object else { return }
      handler(
        object,
        NSKeyValueObservedChange(
          kind: .setting, newValue: options.contains(.new) ? new : nil,
          oldValue: options.contains(.old) ? old : nil, indexes: nil, isPrior: false))
    }

    /// Whether two values are equal; values that can't be compared are only equal if they are the same object.
    private static func areEqual(_ left: Value, _ right: Value) -> Bool {
      switch (ComparableValue(left), ComparableValue(right)) {
      case (let left?, let right?): return left == right
      case (_?, nil), (nil, _?): return false
      case (nil, nil): break
      }
      // Neither has a value that it could be compared by; one that has none at all is equal to another such.
      if let left = left as? any OptionalValue, let right = right as? any OptionalValue,
        left.isNone, right.isNone
      {
        return true
      }
      guard Value.self is AnyClass else { return false }
      return left as AnyObject === right as AnyObject
    }
  }

  /// A value that can be compared: a `Hashable` one, or a dictionary or an array, such as a composite attribute's.
  struct ComparableValue: Hashable {
    let value: AnyHashable

    init?(_ value: Any) {
      if let value = value as? AnyHashable {
        self.value = value
      } else if let entries = value as? [String: Any] {
        self.value = AnyHashable(NSDictionary(dictionary: entries))
      } else if let members = value as? [Any] {
        self.value = AnyHashable(NSArray(array: members))
      } else {
        return nil
      }
    }
  }

  /// An optional value of any type.
  private protocol OptionalValue {
    var isNone: Bool { get }
  }

  extension Optional: OptionalValue {
    fileprivate var isNone: Bool { self == nil }
  }

  /// The registry of observed managed objects and contexts, and of observed ``KeyValueNotifying`` objects.
  final class ObjectObservers: @unchecked Sendable {
    // Sendable: what may change is guarded by a lock.

    static let shared = ObjectObservers()
    /// Whether a ``KeyValueNotifying`` object has ever been observed.
    static let hasNotifying = WatchFlag()

    // Guards the following. Objects belong to their contexts' threads: only their addresses are compared here.
    private let lock = NSLock()

    private struct Observed {
      weak var object: NSObject?
      var watches: [AnyValueWatch] = []
    }

    private var observed: [ObjectIdentifier: Observed] = [:]

    func add(_ watch: AnyValueWatch, to object: NSObject) {
      // Deallocated objects don't unregister; the entries of those still observed are removed here. Neither looking at weak
      // references nor releasing what handlers have captured is done under the lock: either may end other observations.
      let present = lock.withLock {
        observed.count > 64 && observed.count & 63 == 0 ? observed : [:]
      }
      let gone = present.filter { $0.value.object == nil }
      let former = lock.withLock { () -> Observed? in
        for (id, entry) in gone where observed[id]?.watches.first === entry.watches.first {
          observed[id] = nil
        }
        let id = ObjectIdentifier(object)
        let known = observed[id]
        // Another object was at this address before.
        let isOther = known.map { $0.object !== object } ?? false
        if isOther { observed[id] = nil }
        observed[id, default: Observed(object: object)].watches.append(watch)
        return isOther ? known : nil
      }
      withExtendedLifetime(former) {}
      switch object {
      case let object as NSManagedObject:
        object.state.insert(.observed)
        NSManagedObjectContext.hasWatchers.set()
      case let context as NSManagedObjectContext: context.unsaved.isObserved.set()
      default: Self.hasNotifying.set()
      }
    }

    /// Removes a watch from what was an object's, whether that is still there or not.
    func remove(_ watch: AnyValueWatch, from id: ObjectIdentifier) {
      let before = lock.withLock { () -> Observed? in
        guard let entry = observed[id], entry.watches.contains(where: { $0 === watch }) else {
          return nil
        }
        observed[id]?.watches.removeAll { $0 === watch }
        if observed[id]?.watches.isEmpty == true { observed[id] = nil }
        return entry
      }
      withExtendedLifetime(before) {}
    }

    /// - Parameter onlySingleValues: whether collections are left out.
    func notify(of object: NSObject, onlySingleValues: Bool = false) {
      let watches = lock.withLock {
        let entry = observed[ObjectIdentifier(object)]
        return entry?.object === object ? entry?.watches ?? [] : []
      }
      for watch in watches where !onlySingleValues || !watch.isOfCollection { watch.look() }
    }
  }

  /// Polls a value, as long as its object and its observer are there.
  // Sendable: a timer may be cancelled from any thread.
  final class ValuePoll: @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let isOver = Mutex(false)

    init(_ watch: AnyValueWatch) {
      timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "MomKit.KeyValueObserving"))
      timer.schedule(deadline: .now(), repeating: .milliseconds(5))
      timer.setEventHandler { [weak self] in
        watch.look()
        if watch.isOver { self?.end() }
      }
      timer.resume()
    }

    func end() {
      guard
        isOver.withLock({ isOver in
          defer { isOver = true }
          return !isOver
        })
      else { return }
      timer.cancel()
    }
  }
#endif
