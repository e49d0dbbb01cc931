#if !canImport(ObjectiveC)
  import Foundation

  /// Options for observing a property.
  public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The raw value, the same as Foundation's.
    public let rawValue: UInt

    /// Creates options from a raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Include the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// Include the previous value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// Notify the observer once at the beginning, too.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// Notify the observer before each change, too. Has no effect here, because changes are only detected after they
    /// are made.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
  }

  /// The kind of a change.
  public enum NSKeyValueChange: UInt, Sendable {
    /// The value was set.
    case setting = 1
    /// Objects were inserted.
    case insertion = 2
    /// Objects were removed.
    case removal = 3
    /// Objects were replaced.
    case replacement = 4
  }

  /// A change of an observed value.
  public struct NSKeyValueObservedChange<Value> {
    /// The kind of change; also `setting` for to-many relationships.
    public let kind: NSKeyValueChange
    /// The new value, if requested.
    public let newValue: Value?
    /// The previous value, if requested.
    public let oldValue: Value?
    /// The indexes of a change in a collection; always nil, since changes aren't reported in this form.
    public let indexes: IndexSet?
    /// Whether the change is still to come; always false.
    public let isPrior: Bool
  }

  /// An observation, which lasts until it is invalidated or deallocated.
  public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    // Sendable: ended once, under the lock of the registry or the timer.
    private let end: () -> Void

    init(end: @escaping () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the observation.
    public func invalidate() { end() }
  }

  /// Objects whose properties can be observed by key path without the Objective-C runtime: managed objects, contexts, the
  /// progress-reporting objects of Foundation and Core Data, and classes that adopt ``KeyValueNotifying``. Don't adopt
  /// this protocol directly.
  public protocol KeyValueObserving: NSObject {}

  extension NSManagedObject: KeyValueObserving {}
  extension NSManagedObjectContext: KeyValueObserving {}
  extension Progress: KeyValueObserving {}
  extension NSMigrationManager: KeyValueObserving {}

  extension KeyValueObserving where Self: NSManagedObject {
    /// Call before setting a primitive value, like ``NSManagedObject/willChangeValue(forKey:)``.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
      willChangeValue(forKey: KeyPathNames.name(of: keyPath) ?? "")
    }

    /// Call after setting a primitive value, like ``NSManagedObject/didChangeValue(forKey:)``.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
      didChangeValue(forKey: KeyPathNames.name(of: keyPath) ?? "")
    }
  }

  extension KeyValueObserving {
    /// Calls a closure after each change of a property, as long as the returned observation is retained.
    ///
    /// ```swift
    /// let token = person.observe(\.name, options: [.old, .new]) { person, change in … }
    /// ```
    ///
    /// For a managed object the closure is called at once, on the thread that makes the change, if the new value
    /// isn't equal to the previous one. Changes through the inverse of a relationship are included. Values changed by
    /// a merge, a refresh or an undo are reported when the context processes its changes. A ``KeyValueNotifying`` object
    /// reports its changes at once too.
    ///
    /// A context reports `hasChanges` at once when an object is inserted, changed, deleted or refreshed, and, like
    /// `insertedObjects`, `updatedObjects` and `deletedObjects`, after a save, a rollback or a reset, and whenever changes are
    /// processed.
    /// The closure is called on the thread that uses the context. As in Core Data it shouldn't use the context beyond
    /// these properties, since a relationship or an undo may be half done.
    ///
    /// `Progress`, operations and migration managers don't report changes here: their properties are polled 200 times a
    /// second on a separate thread.
    ///
    /// Observers don't retain the object.
    public func observe<Value>(
      _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
      changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
      observe(keyPath, options: options, while: { true }, changeHandler: changeHandler)
    }

    /// Observes a property; polls it only as long as somebody wants that.
    package func observe<Value>(
      _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions,
      while isWanted: @escaping () -> Bool,
      changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
      let watch = ValueWatch(
        object: self, keyPath: keyPath, options: options, isWanted: isWanted, handler: changeHandler
      )
      if options.contains(.initial) { watch.notifyInitially() }
      guard
        self is NSManagedObject || self is NSManagedObjectContext || self is any KeyValueNotifying
      else {
        return NSKeyValueObservation(end: ValuePoll(watch).end)
      }
      ObjectObservers.shared.add(watch, to: self)
      let id = ObjectIdentifier(self)
      return NSKeyValueObservation { ObjectObservers.shared.remove(watch, from: id) }
    }
  }

  extension NSManagedObject {
    /// Calls a closure after each change of the value at the end of a key path, as long as the returned observation
    /// is retained. Like the other method of this name, for programs that have the key path only as text.
    ///
    /// - Parameters:
    ///   - keyPath: one key, or several joined by dots. Changes of objects along the path aren't reported until the
    ///     first object changes.
    ///   - options: the values to include; a missing value is `NSNull`.
    ///   - changeHandler: the closure to call.
    public final func observe(
      keyPath: String, options: NSKeyValueObservingOptions = [],
      changeHandler: @escaping (NSManagedObject, NSKeyValueObservedChange<AnyHashable>) -> Void
    ) -> NSKeyValueObservation {
      observe(\.[watched: keyPath], options: options, changeHandler: changeHandler)
    }

    fileprivate subscript(watched keyPath: String) -> AnyHashable {
      value(forKeyPath: keyPath).flatMap(ComparableValue.init)?.value ?? AnyHashable(NSNull())
    }
  }
#endif
