import Foundation
import MomKit
import Synchronization

#if !canImport(ObjectiveC)
  /// Observers that are called by a selector, as in Foundation on Apple's systems.
  extension NotificationCenter {
    /// Calls a method of `observer` for each notification, on the posting thread, until the observer is removed or
    /// deallocated; the center doesn't retain it.
    ///
    /// - Parameters:
    ///   - observer: The object whose method is called.
    ///   - selector: A selector that refers to its method, `Selector("didSave:", calls: { (object: Stack, argument:
    ///     Notification) in … })`, which `momtool port` writes for `#selector`. Any other is a programmer error and
    ///     traps when a notification arrives.
    ///   - name: The name of the notifications, or nil for all.
    ///   - object: The sender of the notifications, or nil for all.
    public func addObserver(
      _ observer: Any, selector: Selector, name: NSNotification.Name?, object: Any?
    ) {
      SelectorObservers.shared.add(
        observer as AnyObject, selector, to: self, name: name, object: object)
    }

    /// Removes the registrations made with `addObserver(_:selector:name:object:)` and
    /// `addObserver(forName:object:queue:using:)`.
    public func removeObserver<Observer: AnyObject>(_ observer: Observer) {
      removeObserver(observer, name: nil, object: nil)
    }

    /// Removes the registrations for one name, one sender, or both.
    public func removeObserver<Observer: AnyObject>(
      _ observer: Observer, name: NSNotification.Name?, object: Any?
    ) {
      SelectorObservers.shared.remove(observer, from: self, name: name, object: object)
      removeObserver(observer as Any, name: name, object: object)
    }
  }

  /// The registrations of observers with selectors.
  private final class SelectorObservers: Sendable {
    static let shared = SelectorObservers()

    private struct Key: Hashable {
      let center: ObjectIdentifier
      let observer: ObjectIdentifier
    }

    /// The registration of one observer for one kind of notifications.
    private final class Registration: @unchecked Sendable {
      // Sendable: only the token changes: before the table has the registration, and once it is taken out of it.
      weak var observer: AnyObject?
      let selector: Selector
      let name: NSNotification.Name?
      let object: ObjectIdentifier?
      var token: (any NSObjectProtocol)?

      init(
        _ observer: AnyObject, _ selector: Selector, name: NSNotification.Name?, object: AnyObject?
      ) {
        self.observer = observer
        self.selector = selector
        self.name = name
        self.object = object.map(ObjectIdentifier.init)
      }

      func call(_ notification: Notification) {
        guard let observer else { return }
        guard selector.call(on: observer, with: notification) else {
          preconditionFailure(
            "-[\(type(of: observer)) \(selector)]: the selector doesn't know its method; give it one, "
              + "Selector(\"\(selector)\", calls: …)")
        }
      }
    }

    private let registrations = Mutex<[Key: [Registration]]>([:])

    func add(
      _ observer: AnyObject, _ selector: Selector, to center: NotificationCenter,
      name: NSNotification.Name?, object: Any?
    ) {
      let registration = Registration(
        observer, selector, name: name, object: object.map { $0 as AnyObject })
      registration.token = center.addObserver(forName: name, object: object, queue: nil) {
        registration.call($0)
      }
      let key = Key(center: ObjectIdentifier(center), observer: ObjectIdentifier(observer))
      let gone = registrations.withLock { registrations in
        // The address may have been reused for another object.
        let gone = registrations[key]?.filter { $0.observer == nil } ?? []
        registrations[key, default: []].removeAll { $0.observer == nil }
        registrations[key, default: []].append(registration)
        return gone
      }
      for registration in gone { end(registration, in: center) }
    }

    func remove(
      _ observer: AnyObject, from center: NotificationCenter, name: NSNotification.Name?,
      object: Any?
    ) {
      let key = Key(center: ObjectIdentifier(center), observer: ObjectIdentifier(observer))
      let object = object.map { ObjectIdentifier($0 as AnyObject) }
      let ended = registrations.withLock { registrations in
        guard let all = registrations[key] else { return [Registration]() }
        let ended = all.filter {
          (name == nil || $0.name == name) && (object == nil || $0.object == object)
        }
        let left = all.filter { registration in !ended.contains { $0 === registration } }
        registrations[key] = left.isEmpty ? nil : left
        return ended
      }
      for registration in ended { end(registration, in: center) }
    }

    private func end(_ registration: Registration, in center: NotificationCenter) {
      if let token = registration.token { center.removeObserver(token as Any) }
      registration.token = nil
    }
  }
#endif
