import Foundation
import MomKit
import SharedModel

extension SyncRun {
  /// Takes over all of the server's objects, for a store that is new, or has been away for longer than the server
  /// keeps its history.
  ///
  /// What the app has changed and not pushed yet stays as it is.
  mutating func pullEverything() async throws {
    // Changes from here on are told of later, even if the objects already have them.
    let token = try await service.changes(since: "now").token
    var seen: Set<UUID> = []
    for name in SharedModel.entityNames {
      var question = FetchQuestion(
        entity: name, sort: [.init(key: SharedEntity.identifierKey)], limit: Self.batch)
      var isOver = false
      while !isOver {
        let answer = try await service.fetch(question)
        seen.formUnion(answer.objects.map(\.id))
        report.pulled += try await context.perform { [context] in
          var progress = try Self.progress(context)
          let states = ServerStates(objects: answer.objects, replacesAnyRevision: true)
          let count = try states.apply(in: context, after: progress.pushed, &progress)
          try Self.save(context, progress)
          return count
        }
        if let last = answer.objects.last {
          question.predicate = "identifier > %@"
          question.arguments = [.string(last.id.uuidString)]
        }
        isOver = !answer.more
      }
    }
    let present = seen
    report.pulled += try await context.perform { [context] in
      var progress = try Self.progress(context)
      let states = ServerStates(deleted: try Self.known(context, except: present))
      let count = try states.apply(in: context, after: progress.pushed, &progress)
      progress.pulled = token
      progress.pending = nil
      try Self.save(context, progress)
      return count
    }
  }

  /// Returns the objects that the server had at some time and that aren't among those it has now.
  private static func known(
    _ context: NSManagedObjectContext, except present: Set<UUID>
  ) throws -> [UUID: String] {
    var known: [UUID: String] = [:]
    for name in SharedModel.entityNames {
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.predicate = NSPredicate(format: "revision > 0")
      for object in try context.fetch(request) {
        guard let id = object.sharedIdentifier, !present.contains(id) else { continue }
        known[id] = name
      }
    }
    return known
  }
}
