import Foundation

/// Persistent history.
extension NSPersistentStoreCoordinator {
  /// The implementation of ``currentPersistentHistoryToken(fromStores:)``.
  final func historyToken(of stores: [Any]?) -> NSPersistentHistoryToken? {
    var asked = (stores ?? []).compactMap { $0 as? NSPersistentStore }
    if asked.isEmpty { asked = persistentStores }
    var numbers: [String: Int64] = [:]
    for store in asked {
      numbers[store.identifier] = locked {
        try? store.historyPosition()
      }
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
  }
}

extension NSPersistentStore {
  /// The number of the last transaction of persistent history; nil in a store without history.
  final func historyPosition() throws -> Int64? {
    try (requireEngine() as? any RequestEngine)?.historyPosition()
  }

  /// Whether the store was opened with persistent history tracking.
  final var tracksHistory: Bool {
    StoreOptions.isOn(NSPersistentHistoryTrackingKey, in: options)
  }
}
