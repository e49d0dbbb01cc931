import Foundation
import Observation
import Synchronization

/// Managed objects whose readers can be told of changes by Swift's observation.
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
/// An object is observed as a whole: reading one of its values is enough to hear of a change of any. `onChange` is
/// called once, on the thread that makes the change, after it was made; for what a merge, a refresh or an undo
/// brings, when the context processes its changes. Classes that don't adopt the protocol pay nothing for it.
public protocol ObservableManagedObject: NSManagedObject, Observable {}

/// Who reads which objects.
enum ReadNotices {
  /// What is observed in the place of the objects: Swift keeps the readers by key paths.
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
  /// Whether any object of the program has ever been watched.
  static let hasWatchers = WatchFlag()

  /// Has the watchers of an event's objects look again: the values may have come in other ways than by being set,
  /// merged, read anew, or taken back.
  final func tellWatches(of event: PendingEvent) {
    let changed = event.changed.filter(\.isWatched)
    let renewed = (event.refreshed + event.merged).filter(\.isWatched)
    #if Publishers
      for object in renewed { ObjectPublishers.shared.announceChange(of: object) }
    #endif
    for object in changed + renewed { object.tellWatches() }
  }
}

extension NSManagedObject {
  /// Whether somebody may want to hear of the object's changes.
  final var isWatched: Bool { !state.isDisjoint(with: [.observed, .noticesReads]) }
}

/// A flag that is set once.
final class WatchFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
