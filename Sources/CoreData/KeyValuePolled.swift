#if !canImport(ObjectiveC)
  import Foundation
  import MomKit

  /// Objects of Foundation and Core Data of which some properties can be observed by name: contexts, and those that report
  /// progress, which don't report changes here and are polled for observers. Don't adopt this protocol; see
  /// `KeyValueNotifying`.
  public protocol KeyValuePolled: KeyValueObserving {
    /// The properties that `addObserver(_:forKeyPath:options:context:)` can observe, by name.
    static var polledProperties: [String: AnyKeyPath] { get }
  }

  extension Progress: KeyValuePolled {
    /// The properties that a progress indicator shows.
    public static var polledProperties: [String: AnyKeyPath] {
      [
        "completedUnitCount": \Progress.completedUnitCount,
        "fractionCompleted": \Progress.fractionCompleted,
        "isCancelled": \Progress.isCancelled, "isFinished": \Progress.isFinished,
        "isIndeterminate": \Progress.isIndeterminate, "isPaused": \Progress.isPaused,
        "localizedAdditionalDescription": \Progress.localizedAdditionalDescription,
        "localizedDescription": \Progress.localizedDescription,
        "totalUnitCount": \Progress.totalUnitCount,
      ]
    }
  }

  extension NSManagedObjectContext: KeyValuePolled {
    /// What there is to be saved.
    public static var polledProperties: [String: AnyKeyPath] {
      [
        "deletedObjects": \NSManagedObjectContext.deletedObjects,
        "hasChanges": \NSManagedObjectContext.hasChanges,
        "insertedObjects": \NSManagedObjectContext.insertedObjects,
        "updatedObjects": \NSManagedObjectContext.updatedObjects,
      ]
    }
  }

  extension NSMigrationManager: KeyValuePolled {
    /// How far a migration is.
    public static var polledProperties: [String: AnyKeyPath] {
      ["migrationProgress": \NSMigrationManager.migrationProgress]
    }
  }

  extension Operation: KeyValuePolled {
    /// The states of an operation.
    public static var polledProperties: [String: AnyKeyPath] {
      [
        "isCancelled": \Operation.isCancelled, "isExecuting": \Operation.isExecuting,
        "isFinished": \Operation.isFinished, "isReady": \Operation.isReady,
      ]
    }
  }

  extension KeyValuePolled {
    /// Registers an observer of one of the `polledProperties`, until it is removed or either object is deallocated. The
    /// observer is called on a separate thread, and that of a context on the context's. An unknown property is a programmer
    /// error and traps.
    @_disfavoredOverload
    public func addObserver(
      _ observer: AnyObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
      context: UnsafeMutableRawPointer?
    ) {
      guard Self.polledProperties[keyPath] != nil else {
        preconditionFailure(
          "-[\(type(of: self)) addObserver:forKeyPath:options:context:]: \(keyPath) isn't an observable property"
        )
      }
      let registration = KeyRegistration(observer, of: self, keyPath, context)
      registration.keep(
        observe(
          \.[polled: keyPath], options: options, while: { registration.hasObserver },
          changeHandler: { registration.tell(of: $0, $1) }))
    }

    fileprivate subscript(polled key: String) -> AnyHashable {
      let value = Self.polledProperties[key].flatMap { self[keyPath: $0] }
      return value as? AnyHashable ?? AnyHashable(NSNull())
    }
  }
#endif
