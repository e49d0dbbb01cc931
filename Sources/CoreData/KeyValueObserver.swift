#if !canImport(ObjectiveC)
  import Foundation
  import MomKit
  import Synchronization

  /// An object that hears of changes by `observeValue(forKeyPath:of:change:context:)`, which every object does where
  /// there is Objective-C. `momtool port` has classes adopt it that override that method.
  public protocol KeyValueObserver: AnyObject {
    /// Called after a change of what was asked for by `addObserver(_:forKeyPath:options:context:)`.
    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?)
  }

  /// What a change tells.
  public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// The key of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// How the value changed: the raw value of an `NSKeyValueChange`.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
    /// The new value.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")
    /// The value before.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
    /// Where a collection changed; never there.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
    /// Whether the change is still to come; never there.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
  }

  extension NSManagedObject {
    /// Has an observer hear of each change of a value, until it is removed or one of the two is gone.
    ///
    /// - Parameters:
    ///   - observer: a ``KeyValueObserver``. Any other is a programmer's error and traps: nobody could call it.
    ///   - keyPath: the keys.
    ///   - options: what is told.
    ///   - context: what the observer is given back.
    public func addObserver(
      _ observer: AnyObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
      context: UnsafeMutableRawPointer?
    ) {
      guard let observer = observer as? any KeyValueObserver else {
        preconditionFailure(
          "-[\(type(of: self)) addObserver:forKeyPath:options:context:]: \(type(of: observer)) is no "
            + "KeyValueObserver")
      }
      let address = UInt(bitPattern: context)
      let token = observe(keyPath: keyPath, options: options) { [weak observer] object, change in
        var told: [NSKeyValueChangeKey: Any] = [.kindKey: change.kind.rawValue]
        told[.newKey] = change.newValue?.base
        told[.oldKey] = change.oldValue?.base
        observer?.observeValue(
          forKeyPath: keyPath, of: object, change: told,
          context: UnsafeMutableRawPointer(bitPattern: address))
      }
      KeyObservers.shared.add(token, of: observer, to: self, keyPath, context: address)
    }

    /// Ends what `addObserver(_:forKeyPath:options:context:)` began.
    public func removeObserver(_ observer: AnyObject, forKeyPath keyPath: String) {
      KeyObservers.shared.remove(observer, from: self, keyPath, context: nil)
    }

    /// Ends it for the registration with this context.
    public func removeObserver(
      _ observer: AnyObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
      KeyObservers.shared.remove(
        observer, from: self, keyPath, context: UInt(bitPattern: context))
    }
  }

  /// Who observes which objects by a path of keys.
  private final class KeyObservers: Sendable {
    static let shared = KeyObservers()

    private struct Registration {
      weak var object: NSManagedObject?
      weak var observer: AnyObject?
      let keyPath: String
      let context: UInt
      let token: NSKeyValueObservation
    }

    // Only addresses of objects are compared here.
    private struct Registrations: @unchecked Sendable {
      var all: [ObjectIdentifier: [Registration]] = [:]
    }

    private let registrations = Mutex(Registrations())

    func add(
      _ token: NSKeyValueObservation, of observer: AnyObject, to object: NSManagedObject,
      _ keyPath: String, context: UInt
    ) {
      let registration = Transfer(
        value: Registration(
          object: object, observer: observer, keyPath: keyPath, context: context, token: token))
      let id = ObjectIdentifier(object)
      registrations.withLock { registrations in
        // An address may be another object's by now.
        registrations.all[id, default: []].removeAll { $0.object == nil || $0.observer == nil }
        registrations.all[id, default: []].append(registration.value)
      }
    }

    func remove(
      _ observer: AnyObject, from object: NSManagedObject, _ keyPath: String, context: UInt?
    ) {
      let (observer, id) = (ObjectIdentifier(observer), ObjectIdentifier(object))
      let ended = registrations.withLock { registrations in
        var left: [Registration] = []
        var ended: [NSKeyValueObservation] = []
        for registration in registrations.all[id] ?? [] {
          if registration.observer.map({ ObjectIdentifier($0) }) == observer,
            registration.keyPath == keyPath,
            context.map({ $0 == registration.context }) ?? true
          {
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

    // Handed to the table, which alone has it then.
    private struct Transfer: @unchecked Sendable { let value: Registration }
  }
#endif
