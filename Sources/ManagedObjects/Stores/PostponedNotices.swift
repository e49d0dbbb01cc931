import Foundation

/// Notifications that are posted once the stores are unlocked: an observer may wait for another thread that needs them.
final class PostponedNotices {
  private var notices: [Notification] = []

  /// Posts a notification, or leaves it to `notices`.
  static func post(
    _ name: Notification.Name, from object: AnyObject, userInfo: [AnyHashable: Any],
    or notices: PostponedNotices?
  ) {
    let notice = Notification(name: name, object: object, userInfo: userInfo)
    if let notices {
      notices.notices.append(notice)
    } else {
      NotificationCenter.default.post(notice)
    }
  }

  /// Posts the notifications, in their order.
  func post() { for notice in notices { NotificationCenter.default.post(notice) } }
}
