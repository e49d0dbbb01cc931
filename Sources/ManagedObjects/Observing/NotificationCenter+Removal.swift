import Dispatch
import Foundation

extension NotificationCenter {
  private static let removals = DispatchQueue(label: "MomKit.NotificationCenter")

  /// Removes observers soon, on another thread: for a `deinit`.
  ///
  /// The center lets go of a block within its lock, which isn't recursive. What only the block held ends there, and would
  /// wait for ever if it removed its own observers at once.
  package func removeLater(_ observers: [any NSObjectProtocol]) {
    guard !observers.isEmpty else { return }
    let ended = Transfer(value: (center: self, observers: observers))
    NotificationCenter.removals.async {
      for observer in ended.value.observers { ended.value.center.removeObserver(observer) }
    }
  }
}
