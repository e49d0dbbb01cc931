import DataModels

/// Supports `Self(managedObjectModel:)` in static methods of coordinator classes. Don't adopt this protocol.
public protocol CoordinatorInitializing {}

extension NSPersistentStoreCoordinator: CoordinatorInitializing {}

extension CoordinatorInitializing where Self: NSPersistentStoreCoordinator {
  /// Creates a coordinator without stores.
  ///
  /// For use with `Self` in an extension of ``NSPersistentStoreCoordinator``. This doesn't call a subclass's own
  /// initializer.
  public init(managedObjectModel model: NSManagedObjectModel) {
    guard let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model) as? Self else {
      preconditionFailure(
        "\(Self.self)(managedObjectModel:): call the initializer on the class itself")
    }
    self = coordinator
  }
}
