#if !canImport(ObjectiveC)
  import Foundation
  import MomKit
  import Synchronization

  /// An object that is notified of changes by `observeValue(forKeyPath:of:change:context:)`, which with the Objective-C
  /// runtime every object implements. `momtool port` adds the conformance to classes that override this method.
  public protocol KeyValueObserver: AnyObject {
    /// Called after a change of a key path registered with `addObserver(_:forKeyPath:options:context:)`.
    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?)
  }

  /// A key in a change dictionary.
  public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The key's name.
    public let rawValue: String
    /// Creates a key from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind of change: the raw value of an `NSKeyValueChange`.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The new value.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The old value.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// The changed indexes of a collection; never present.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// Whether the notification precedes the change; never present.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
  }

  extension NSManagedObject {
    /// Registers an observer for changes of a value, until it is removed or either object is deallocated.
    ///
    /// - Parameters:
    ///   - observer: A ``KeyValueObserver``. Any other object is a programmer error and traps, since it can't be
    ///     notified.
    ///   - keyPath: The key path to observe.
    ///   - options: What the change dictionary contains.
    ///   - context: A value passed to the observer.
    public func addObserver(
      _ observer: AnyObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
      context: UnsafeMutableRawPointer?
    ) {
      let registration = KeyRegistration(observer, of: self, keyPath, context: context)
      registration.keep(
        observe(keyPath: keyPath, options: options) { registration.tell(of: $0, $1) })
    }
  }

  extension KeyValueNotifying {
    /// Registers an observer of one of the `observableProperties`, until it is removed or either object is deallocated.
    public func addObserver(
      _ observer: AnyObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
      context: UnsafeMutableRawPointer?
    ) {
      let registration = KeyRegistration(observer, of: self, keyPath, context: context)
      registration.keep(
        observe(keyPath: keyPath, options: options) { registration.tell(of: $0, $1) })
    }
  }

  extension KeyValueObserving {
    /// Removes a registration made with `addObserver(_:forKeyPath:options:context:)`.
    public func removeObserver(_ observer: AnyObject, forKeyPath keyPath: String) {
      KeyObservers.shared.remove(observer, from: self, keyPath, context: nil)
    }

    /// Removes the registration with the given context.
    public func removeObserver(
      _ observer: AnyObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
      KeyObservers.shared.remove(
        observer, from: self, keyPath, context: UInt(bitPattern: context))
    }
  }

  /// The registration of one observer of one object's key path.
  struct KeyRegistration {
    private weak let observer: (any KeyValueObserver)?
    private weak let object: NSObject?
    private let keyPath: String
    private let context: UInt

    init(
      _ observer: AnyObject, of object: NSObject, _ keyPath: String,
      context: UnsafeMutableRawPointer?
    ) {
      guard let observer = observer as? any KeyValueObserver else {
        preconditionFailure(
          "-[\(type(of: object)) addObserver:forKeyPath:options:context:]: \(type(of: observer)) is no "
            + "KeyValueObserver")
      }
      self.observer = observer
      self.object = object
      self.keyPath = keyPath
      self.context = UInt(bitPattern: context)
    }

    /// Whether the observer is still there.
    var hasObserver: Bool { observer != nil }

    func tell(of object: NSObject, _ change: NSKeyValueObservedChange<AnyHashable>) {
      guard let observer else { return KeyObservers.shared.removeEnded(from: object) }
      var told: [NSKeyValueChangeKey: Any] = [.kindKey: change.kind.rawValue]
      told[.newKey] = change.newValue?.base
      told[.oldKey] = change.oldValue?.base
      observer.observeValue(
        forKeyPath: keyPath, of: object, change: told,
        context: UnsafeMutableRawPointer(bitPattern: context))
    }

    func keep(_ token: NSKeyValueObservation) {
      guard let observer, let object else { return }
      KeyObservers.shared.add(token, of: observer, to: object, keyPath, context: context)
    }
  }

  /// The registered observers of key paths, by observed object.
  private final class KeyObservers: Sendable {
    static let shared = KeyObservers()

    // Sendable: nothing changes it, and any thread may look whether what it refers to weakly is still there.
    private struct Registration: @unchecked Sendable {
      weak var object: NSObject?
      weak var observer: AnyObject?
      /// The observer's identity, also when it removes itself in its `deinit`.
      let observerID: ObjectIdentifier
      let keyPath: String
      let context: UInt
      let token: NSKeyValueObservation
    }

    // Sendable: objects are only compared by address here.
    private struct Registrations: @unchecked Sendable {
      var all: [ObjectIdentifier: [Registration]] = [:]
    }

    private let registrations = Mutex(Registrations())

    func add(
      _ token: NSKeyValueObservation, of observer: AnyObject, to object: NSObject,
      _ keyPath: String, context: UInt
    ) {
      let registration = Registration(
        object: object, observer: observer, observerID: ObjectIdentifier(observer),
        keyPath: keyPath, context: context, token: token)
      // The address may have been reused for another object.
      removeEnded(from: object)
      let id = ObjectIdentifier(object)
      registrations.withLock { $0.all[id, default: []].append(registration) }
    }

    func remove(
      _ observer: AnyObject, from object: NSObject, _ keyPath: String, context: UInt?
    ) {
      let observer = ObjectIdentifier(observer)
      remove(from: object) {
        $0.observerID == observer && $0.keyPath == keyPath
          && (context == nil || context == $0.context)
      }
    }

    /// Removes the registrations of observers that are gone, and those of objects that had the same address.
    func removeEnded(from object: NSObject) {
      let id = ObjectIdentifier(object)
      let known = registrations.withLock { $0.all[id] ?? [] }
      // To look at an observer is to keep it for that moment. If everybody else has let go of it by then, it ends here, and
      // may remove itself in its `deinit`: not under the lock, which that takes.
      let ended = Set(
        known.filter { $0.object == nil || $0.observer == nil }.map { ObjectIdentifier($0.token) })
      guard !ended.isEmpty else { return }
      remove(from: object) { ended.contains(ObjectIdentifier($0.token)) }
      // Until here, so that no other token has the address of one of these.
      withExtendedLifetime(known) {}
    }

    /// - Parameter isUnwanted: called under the lock, so it mustn't look at what registrations refer to weakly.
    private func remove(from object: NSObject, where isUnwanted: (Registration) -> Bool) {
      let id = ObjectIdentifier(object)
      let ended = registrations.withLock { registrations in
        var left: [Registration] = []
        var ended: [NSKeyValueObservation] = []
        for registration in registrations.all[id] ?? [] {
          if isUnwanted(registration) {
            ended.append(registration.token)
          } else {
            left.append(registration)
          }
        }
        registrations.all[id] = left.isEmpty ? nil : left
        return ended
      }
      for token in ended { token.invalidate() }
    }
  }
#endif
