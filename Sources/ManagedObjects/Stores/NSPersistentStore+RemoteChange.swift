import Foundation

/// Notifications of writes to a store.
extension NSPersistentStore {
  private final var postsRemoteChanges: Bool {
    StoreOptions.isOn(NSPersistentStoreRemoteChangeNotificationPostOptionKey, in: options)
  }

  /// Starts posting other programs' writes, if the options request it.
  final func startWatching() {
    guard postsRemoteChanges, let engine = try? requireEngine() else { return }
    engine.watch { [weak self] in self?.noteWrite() }
  }

  /// Posts a write, if the options request it.
  final func noteWrite() {
    guard postsRemoteChanges, let coordinator = persistentStoreCoordinator else { return }
    var userInfo: [AnyHashable: Any] = [NSStoreUUIDKey: reference.identifier]
    userInfo[NSPersistentStoreURLKey] = url
    userInfo[NSPersistentHistoryTokenKey] = coordinator.currentPersistentHistoryToken(
      fromStores: [self])
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: userInfo)
  }
}
