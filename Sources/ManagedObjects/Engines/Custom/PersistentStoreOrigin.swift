import Foundation

/// What a store of a registered class is made with; see
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:type:)``.
public struct PersistentStoreOrigin {
  let coordinator: NSPersistentStoreCoordinator
  let configurationName: String?
  let url: URL
  let options: [AnyHashable: Any]?
}
