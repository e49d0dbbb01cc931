import CoreData
import Foundation

/// Tracks changes that others make to the store.
@MainActor
final class HistoryTracker {
  private let container: NSPersistentContainer
  private var token: NSPersistentHistoryToken?
  private(set) var seen: [String] = []
  init(container: NSPersistentContainer) {
    self.container = container
    NotificationCenter.default.addObserver(
      self, selector: #selector(storeRemoteChange(_:)), name: .NSPersistentStoreRemoteChange,
      object: container.persistentStoreCoordinator)
  }
  @objc nonisolated private func storeRemoteChange(_ notification: Notification) {
    Task { @MainActor in try? self.process() }
  }
  func process() throws {
    let context = container.newBackgroundContext()
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    let transactions: [NSPersistentHistoryTransaction] = try context.performAndWait {
      let result = try context.execute(request) as? NSPersistentHistoryResult
      return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }
    for transaction in transactions {
      for change in transaction.changes ?? [] {
        let kind =
          switch change.changeType {
          case .insert: "insert";
          case .update: "update";
          case .delete: "delete";
          @unknown default: "?"
          }
        seen.append(
          "\(kind) \(change.changedObjectID.entity.name ?? "") by \(transaction.author ?? "nobody")"
        )
      }
      token = transaction.token
    }
  }
}
