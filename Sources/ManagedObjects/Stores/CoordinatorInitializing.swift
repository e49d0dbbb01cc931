import DataModels

/// Lets a static method of a class of coordinators make one of its own type, `Self(managedObjectModel:)`. Not to
/// be adopted.
public protocol CoordinatorInitializing {}

extension NSPersistentStoreCoordinator: CoordinatorInitializing {}

extension CoordinatorInitializing where Self: NSPersistentStoreCoordinator {
  /// Makes a coordinator without stores.
  ///
  /// A subclass's own initializer isn't called by this one: `Self` of an extension of
  /// ``NSPersistentStoreCoordinator`` is what it is for.
  public init(managedObjectModel model: NSManagedObjectModel) {
    guard let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model) as? Self else {
      preconditionFailure(
        "\(Self.self)(managedObjectModel:): call the initializer on the class's own name")
    }
    self = coordinator
  }
}
