import Foundation

/// Telling the program that somebody wrote.
extension NSPersistentStore {
  private final var postsRemoteChanges: Bool {
    StoreOptions.isOn(NSPersistentStoreRemoteChangeNotificationPostOptionKey, in: options)
  }

  /// Has other programs' writes announced, if the options ask for it.
  final func startWatching() {
    guard postsRemoteChanges, let engine = try? requireEngine() else { return }
    engine.watch { [weak self] in self?.noteWrite() }
  }

  /// Announces a write, if the options ask for it.
  final func noteWrite() {
    guard postsRemoteChanges, let coordinator = persistentStoreCoordinator else { return }
    var userInfo: [AnyHashable: Any] = [NSStoreUUIDKey: identifier]
    userInfo[NSPersistentStoreURLKey] = url
    userInfo[NSPersistentHistoryTokenKey] = coordinator.currentPersistentHistoryToken(
      fromStores: [self])
    NotificationCenter.default.post(
      name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: userInfo)
  }
}
