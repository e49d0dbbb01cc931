import Foundation
import MomKit
import SharedModel

extension SyncRun {
  /// Finds out whether a push whose answer was lost has been saved. If so, the server's history has a transaction with
  /// its identifier, or with that of an earlier request of the push if only a part of it has been saved.
  ///
  /// To push it again wouldn't double anything, but it could undo what others have made of these objects since: bring a
  /// deleted one back, for example. Of a part that has been saved, the objects are known to the server, and must be known
  /// as such here before the rest is pushed.
  ///
  /// - Returns: whether it has been saved, or a part of it.
  func settlePendingPush() async throws -> Bool {
    let progress = try await context.perform { [context] in try Self.progress(context) }
    guard let pending = progress.pending else { return false }
    guard !pending.isSaved else { return true }
    let sought = ChangesAnswer.Push(client: progress.client, push: pending.push)
    let parts = Set(
      (pending.earlier ?? []).map { ChangesAnswer.Push(client: progress.client, push: $0) })
    var token = progress.pulled
    var (isOver, isPartlySaved) = (false, false)
    while !isOver {
      let answer = try await service.changes(since: token)
      if answer.pushes.contains(sought) {
        try await context.perform { [context] in
          var progress = try Self.progress(context)
          progress.pushed = pending.end
          progress.pending?.isSaved = true
          try Self.save(context, progress)
        }
        return true
      }
      isPartlySaved = isPartlySaved || !parts.isDisjoint(with: answer.pushes)
      token = answer.token
      isOver = !answer.more
    }
    return isPartlySaved
  }

  /// Pushes what the app has changed. Conflicts are resolved in the store, and what results from that is pushed again.
  mutating func push() async throws {
    // The server's versions of objects that are deleted here.
    var versions: [UUID: Int64] = [:]
    for _ in 0..<Self.attempts {
      let known = versions
      let (questions, end) = try await context.perform { [context] in
        try Self.questions(context, known)
      }
      guard let end else { return }
      do {
        for (index, question) in questions.enumerated() {
          let answer = try await service.save(question)
          let isLast = index == questions.count - 1
          try await context.perform { [context] in
            var progress = try Self.progress(context)
            // The server may keep a value otherwise than it was sent, such as a date.
            _ = try ServerStates(objects: answer.saved).apply(in: context, after: end, &progress)
            if isLast {
              progress.pushed = end
              progress.pending = nil
            }
            try Self.save(context, progress)
          }
          report.pushed += question.count
        }
        return
      } catch let conflicts as ServiceConnection.Conflicts {
        report.conflicts += conflicts.list.count
        let found = try await context.perform { [context] in
          try Self.resolve(conflicts.list, context)
        }
        versions.merge(found, uniquingKeysWith: { $1 })
      }
    }
    throw SyncError.busy
  }

  /// Returns the requests that push the app's changes, and the end of these in the store's history; nil if there are
  /// none.
  ///
  /// The requests' identifiers are saved before anything is sent.
  private static func questions(
    _ context: NSManagedObjectContext, _ versions: [UUID: Int64]
  ) throws -> ([SaveQuestion], Data?) {
    var progress = try progress(context)
    let changes = try LocalChanges(after: progress.pushed, in: context)
    guard !changes.isEmpty, let end = changes.end else {
      // Nothing but what synchronizing saved itself, which needn't be read again.
      if progress.pushed != changes.end || progress.pending != nil {
        progress.pushed = changes.end
        progress.pending = nil
        try save(context, progress)
      }
      return ([], nil)
    }
    let questions = try changes.questions(progress.client, versions: versions, in: context)
    guard let last = questions.last else { return ([], nil) }
    let earlier = questions.count > 1 ? questions.dropLast().map(\.push) : nil
    progress.pending = SyncProgress.Pending(push: last.push, earlier: earlier, end: end)
    try save(context, progress)
    return (questions, end)
  }

  /// Takes the server's objects over, except what the app has changed in them.
  ///
  /// - Returns: the versions of objects that the app has deleted.
  static func resolve(
    _ conflicts: [ErrorAnswer.Conflict], _ context: NSManagedObjectContext
  ) throws -> [UUID: Int64] {
    var progress = try progress(context)
    var states = ServerStates()
    for conflict in conflicts {
      if let object = conflict.object {
        states.objects.append(object)
      } else if try object(of: conflict, in: context)?.sharedRevision != 0 {
        states.deleted[conflict.id] = conflict.entity
      }
    }
    _ = try states.apply(in: context, after: progress.pushed, &progress)
    progress.pending = nil
    try save(context, progress)
    return Dictionary(
      states.objects.map { ($0.id, $0.version) }, uniquingKeysWith: { max($0, $1) })
  }

  /// Returns the store's object that the server doesn't have.
  ///
  /// The server has deleted it, unless its revision is 0: then the app inserted it at the very moment in which the
  /// changes were collected, and another object refers to it already. The next attempt has both.
  private static func object(
    of conflict: ErrorAnswer.Conflict, in context: NSManagedObjectContext
  ) throws -> NSManagedObject? {
    try SharedModel.entities[conflict.entity]?.objects([conflict.id], in: context)[conflict.id]
  }
}

extension SaveQuestion {
  /// The number of objects.
  var count: Int { (inserted?.count ?? 0) + (updated?.count ?? 0) + (deleted?.count ?? 0) }
}
