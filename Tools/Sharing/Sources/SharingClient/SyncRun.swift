import Foundation
import MomKit
import SharedModel

/// One synchronization of a store.
struct SyncRun {
  /// The most objects and about the most bytes of a request.
  static let batch = 500
  static let batchSize = 2 << 20
  /// How often a push is tried when others change the same objects.
  static let attempts = 20

  let service: ServiceConnection
  let context: NSManagedObjectContext
  var report = Synchronizer.Report()

  /// Saves the context together with the progress.
  static func save(_ context: NSManagedObjectContext, _ progress: SyncProgress) throws {
    guard let coordinator = context.persistentStoreCoordinator else { return }
    try progress.store(in: coordinator)
    try context.save()
    // Nothing is remembered that the app may have changed by the next step.
    context.reset()
  }

  static func progress(_ context: NSManagedObjectContext) throws -> SyncProgress {
    guard let coordinator = context.persistentStoreCoordinator else {
      throw CocoaError(.fileNoSuchFile)
    }
    return try SyncProgress(of: coordinator)
  }

  // MARK: Pulling

  mutating func pull() async throws {
    var token = try await context.perform { [context] in try Self.progress(context).pulled }
    var isComplete = false
    while !isComplete {
      let answer = try await service.changes(since: token)
      report.pulled += try await context.perform { [context] in
        var progress = try Self.progress(context)
        var states = ServerStates()
        for change in answer.changes {
          if let object = change.object {
            states.objects.append(object)
          } else {
            states.deleted[change.id] = change.entity
          }
        }
        let count = try states.apply(in: context, after: progress.pushed, &progress)
        let isSettled = !answer.more && progress.pending != nil
        guard count > 0 || progress.pulled != answer.token || isSettled else { return 0 }
        progress.pulled = answer.token
        if isSettled { progress.pending = nil }
        try Self.save(context, progress)
        return count
      }
      token = answer.token
      isComplete = !answer.more
    }
  }
}
