import DataModels
import Foundation

/// Object IDs of client-defined stores.
extension NSPersistentStore {
  /// The ID of the row that a reference object identifies.
  final func identity(
    for entity: NSEntityDescription, reference data: Any, _ call: String
  ) -> NSManagedObjectID {
    guard let table = reference.table, let coordinator = persistentStoreCoordinator,
      let layout = coordinator.modelLayout[entity.name ?? ""]
    else {
      preconditionFailure(
        "\(call): the entity '\(entity.name ?? "")' isn't one of the store's coordinator's")
    }
    guard let data = (data as? AnyHashable) ?? (data as? NSObject).map(AnyHashable.init) else {
      preconditionFailure(
        "\(call): a reference object must be hashable, which \(Swift.type(of: data)) isn't")
    }
    return NSManagedObjectID(
      layout: layout, store: reference, key: table.key(for: data, layout.root))
  }

  /// The reference object of a row's ID.
  final func reference(of id: NSManagedObjectID, _ call: String) -> Any {
    guard id.storeReference === reference,
      let data = reference.table?.reference(of: id.key, id.layout.root)
    else { preconditionFailure("\(call): the object isn't one of this store: \(id)") }
    return data.base
  }

  /// The error thrown by a method that a store class must override but doesn't.
  final func unsupported(_ method: String) -> NSError {
    CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The store class \(Swift.type(of: self)) doesn't override \(method).")
  }
}
