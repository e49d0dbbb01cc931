#if !canImport(ObjectiveC)
  import Foundation

  /// What an observer is told of a change.
  public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The number that Foundation gives the options.
    public let rawValue: UInt

    /// Makes the options of this number.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The value before.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The observer is told once at the beginning too.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The observer would be told before each change too. Here nobody knows of a change before it is made: the
    /// option does nothing.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
  }

  /// How a value changed.
  public enum NSKeyValueChange: UInt, Sendable {
    /// It was set.
    case setting = 1
    /// Objects were put into it.
    case insertion = 2
    /// Objects were taken out of it.
    case removal = 3
    /// Objects of it were replaced.
    case replacement = 4
  }

  /// A change of an observed value.
  public struct NSKeyValueObservedChange<Value> {
    /// How the value changed; to-many relationships too are told of as set.
    public let kind: NSKeyValueChange
    /// The value now, if the observer asked for it.
    public let newValue: Value?
    /// The value before, if the observer asked for it.
    public let oldValue: Value?
    /// Where a collection changed; nil, as no change is told of that way.
    public let indexes: IndexSet?
    /// Whether the change is still to come; false.
    public let isPrior: Bool
  }

  /// An observation, which lasts until it is invalidated, or nobody keeps it.
  public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    // Ended once, under the registry's or the timer's own lock.
    private let end: () -> Void

    init(end: @escaping () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the observation.
    public func invalidate() { end() }
  }

  /// Objects whose properties can be observed by a key path, without the Objective-C runtime: managed objects,
  /// and those of Foundation and Core Data that tell how far work is. Not to be adopted.
  public protocol KeyValueObserving: NSObject {}

  extension NSManagedObject: KeyValueObserving {}
  extension Progress: KeyValueObserving {}
  extension NSMigrationManager: KeyValueObserving {}

  extension KeyValueObserving {
    /// Calls a block after each change of a property, as long as the result is kept.
    ///
    /// ```swift
    /// let token = person.observe(\.name, options: [.old, .new]) { person, change in … }
    /// ```
    ///
    /// A managed object calls it at once, on the thread that makes the change, when the new value isn't equal to
    /// the one before; a change of a relationship's other side counts. Values that a merge, a refresh or an undo
    /// brings are told of when the context processes its changes. `Progress` and migration managers tell nobody of
    /// changes here: they are looked at 200 times a second, on a thread of their own.
    ///
    /// The object isn't kept by its observers.
    public func observe<Value>(
      _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
      changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
      let watch = ValueWatch(
        object: self, keyPath: keyPath, options: options, handler: changeHandler)
      if options.contains(.initial) { watch.notify(old: nil) }
      guard let object = self as? NSManagedObject else {
        return NSKeyValueObservation(end: ValuePoll(watch).end)
      }
      ObjectObservers.shared.add(watch, to: object)
      return NSKeyValueObservation { [weak object] in
        ObjectObservers.shared.remove(watch, from: object)
      }
    }
  }

  extension NSManagedObject {
    /// Calls a block after each change of what is at the end of a path of keys, as long as the result is kept; as
    /// the other method of this name, for programs that know the path as a text only.
    ///
    /// - Parameters:
    ///   - keyPath: one key, or several joined by dots; changes of objects on the way aren't heard of until the
    ///     first one changes.
    ///   - options: what is told: without a value `NSNull`.
    ///   - changeHandler: what is called.
    public final func observe(
      keyPath: String, options: NSKeyValueObservingOptions = [],
      changeHandler: @escaping (NSManagedObject, NSKeyValueObservedChange<AnyHashable>) -> Void
    ) -> NSKeyValueObservation {
      observe(\.[watched: keyPath], options: options, changeHandler: changeHandler)
    }

    fileprivate subscript(watched keyPath: String) -> AnyHashable {
      value(forKeyPath: keyPath) as? AnyHashable ?? AnyHashable(NSNull())
    }
  }
#endif
