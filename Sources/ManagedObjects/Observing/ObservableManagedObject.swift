import Foundation
import Observation
import Synchronization

/// A managed object that supports Swift's observation.
///
/// ```swift
/// final class Person: NSManagedObject, ObservableManagedObject { … }
///
/// withObservationTracking {
///   label.text = person.name
/// } onChange: {
///   …
/// }
/// ```
///
/// An object is observed as a whole: reading any of its values registers for changes of all of them. `onChange` is
/// called once, on the thread that makes the change, after the change was made; for values changed by a merge, a
/// refresh or an undo, when the context processes its changes. Classes that don't adopt the protocol have no
/// overhead.
public protocol ObservableManagedObject: NSManagedObject, Observable {}

/// Tracks which objects are read.
enum ReadNotices {
  /// The object observed in place of the managed objects: Swift tracks readers by key path.
  private final class Objects: Observable, Sendable {
    subscript(object: ObjectIdentifier) -> Int { object.hashValue }
  }

  private static let registrar = ObservationRegistrar()
  private static let objects = Objects()

  static func noteRead(of object: NSManagedObject) {
    registrar.access(objects, keyPath: \.[ObjectIdentifier(object)])
  }

  static func noteChange(of object: NSManagedObject) {
    registrar.withMutation(of: objects, keyPath: \.[ObjectIdentifier(object)]) {}
  }
}

extension NSManagedObjectContext {
  /// Whether any object in the program has ever been observed.
  static let hasWatchers = WatchFlag()

  /// Makes the observers of an event's objects compare values: these may have changed by other means than setters,
  /// such as a merge, a refresh or an undo.
  final func notifyObservationRegistrar(of event: PendingEvent) {
    let changed = event.changed.filter(\.isWatched)
    let renewed = (event.refreshed + event.merged).filter(\.isWatched)
    #if Publishers
      for object in renewed { ObjectPublishers.shared.announceChange(of: object) }
    #endif
    for object in changed + renewed { object.notifyObservationRegistrar() }
  }
}

extension NSManagedObject {
  /// Whether the object has observers, or readers that may observe it.
  final var isWatched: Bool { !state.isDisjoint(with: [.observed, .noticesReads]) }
}

/// A flag that can only be set.
final class WatchFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
