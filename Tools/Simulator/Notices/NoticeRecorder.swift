import MomKit

/// Writes down what contexts post, in the order in which they do.
final class NoticeRecorder {
  private var notices: [Int: [Notice]] = [:]
  private var observers: [any NSObjectProtocol] = []

  /// Listens to a stack's contexts, but for those that another process has.
  init(_ stack: Stack) {
    let kinds: [(Notification.Name, Notice.Kind)] = [
      (.NSManagedObjectContextWillSave, .willSave), (.NSManagedObjectContextDidSave, .didSave),
      (.NSManagedObjectContextDidSaveObjectIDs, .savedIdentities),
      (.NSManagedObjectContextObjectsDidChange, .didChange),
    ]
    for (c, context) in stack.contexts.enumerated() where !stack.isRemote(c) {
      for (name, kind) in kinds {
        let recording = Recording { [weak self, weak stack] notification in
          guard let self, let stack else { return }
          notices[c, default: []].append(Self.notice(notification, kind, stack, c))
        }
        observers.append(
          NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
            recording.body($0)
          })
      }
    }
  }

  deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

  /// What was posted since this was last asked, by context.
  func take() -> [Int: [Notice]] {
    defer { notices = [:] }
    return notices
  }

  /// Objects are called by their names at once: nothing of the library's is held.
  private static func notice(
    _ notification: Notification, _ kind: Notice.Kind, _ stack: Stack, _ c: Int
  ) -> Notice {
    var notice = Notice(kind: kind)
    let keys: [(String, String, Notice.Part)] = [
      (NSInsertedObjectsKey, NSInsertedObjectIDsKey, .inserted),
      (NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, .updated),
      (NSDeletedObjectsKey, NSDeletedObjectIDsKey, .deleted),
      (NSRefreshedObjectsKey, NSRefreshedObjectIDsKey, .refreshed),
      (NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey, .invalidated),
    ]
    let info = notification.userInfo ?? [:]
    for (objects, identities, part) in keys {
      let told = info[kind == .savedIdentities ? identities : objects] as? Set<NSObject> ?? []
      guard !told.isEmpty else { continue }
      let names = told.compactMap { stack.nameWithoutReading($0, c) }
      notice.hasStrangers = notice.hasStrangers || names.count < told.count
      notice.sets[part] = Set(names)
    }
    notice.invalidatesAll = info[NSInvalidatedAllObjectsKey] != nil
    return notice
  }
}

/// What is done with a notification. A program's notifications come on whichever queue its context has, one
/// at a time.
private struct Recording: @unchecked Sendable {
  let body: (Notification) -> Void
}

extension Stack {
  /// The name of an object or an identity, as far as it can be told without firing a fault.
  fileprivate func nameWithoutReading(_ told: NSObject, _ c: Int) -> ObjectName? {
    guard let object = told as? NSManagedObject else {
      guard let identity = told as? NSManagedObjectID else { return nil }
      // What it has got in the save that tells of it isn't known yet.
      return name(of: identity) ?? held[c].first { $0.value.objectID == identity }?.key
    }
    for (name, known) in held[c] where known === object { return name }
    if let name = name(of: object.objectID) { return name }
    guard !object.isFault else { return nil }
    return (object.value(forKey: ModelPlan.serial) as? NSNumber)?.intValue
  }
}
