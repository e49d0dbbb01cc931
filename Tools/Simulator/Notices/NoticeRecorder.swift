import MomKit
import Synchronization

/// Records the notifications of contexts in the order of posting.
///
/// A private context that merges saves automatically posts on its own queue at any time, so objects are only named for
/// the context that performs the current step.
final class NoticeRecorder {
  private struct State {
    var current: Int?
    var notices: [Int: [Notice]] = [:]
  }

  private let state = Mutex(State())
  private var observers: [any NSObjectProtocol] = []

  /// Observes a stack's contexts, except those of the other process.
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
          let isCurrent = state.withLock { $0.current == c }
          let notice =
            isCurrent
            ? Self.notice(notification, kind, stack, c) : Notice(kind: kind, hasStrangers: true)
          state.withLock { $0.notices[c, default: []].append(notice) }
        }
        observers.append(
          NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
            recording.body($0)
          })
      }
    }
  }

  deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

  /// Begins a step of a context.
  func begin(_ c: Int) { state.withLock { $0.current = c } }

  /// Ends the step, if one was begun.
  ///
  /// - Returns: the notifications since the last call, by context.
  func take() -> [Int: [Notice]] {
    state.withLock { state in
      defer { state = State() }
      return state.notices
    }
  }

  /// Makes a notice; objects are replaced by their names immediately, so that none is retained.
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

/// A notification handler. Sendable: notifications whose objects are read arrive while the program waits for their
/// context.
private struct Recording: @unchecked Sendable {
  let body: (Notification) -> Void
}

extension Stack {
  /// The name of an object or an object ID, if it can be determined without firing a fault.
  fileprivate func nameWithoutReading(_ told: NSObject, _ c: Int) -> ObjectName? {
    guard let object = told as? NSManagedObject else {
      guard let identity = told as? NSManagedObjectID else { return nil }
      // The permanent ID assigned by the save that posts the notification isn't recorded yet.
      return name(of: identity) ?? held[c].first { $0.value.objectID == identity }?.key
    }
    for (name, known) in held[c] where known === object { return name }
    if let name = name(of: object.objectID) { return name }
    guard !object.isFault else { return nil }
    return (object.value(forKey: ModelPlan.serial) as? NSNumber)?.intValue
  }
}
