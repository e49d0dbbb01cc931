import DataModels
import Foundation
import PredicateFormat

/// A weak reference to fetched results that follow a context's changes.
struct Follower {
  weak var results: FetchedResults?
}

/// Notifying controllers of changed rows whose objects aren't registered with the context.
extension NSManagedObjectContext {
  /// The number of object IDs in one fetch.
  private static let identitiesPerFetch = 10_000

  /// Adds results to those that follow other writers' changes.
  final func add(_ results: FetchedResults) {
    followers.removeAll { $0.results == nil }
    followers.append(Follower(results: results))
  }

  /// The objects, among those that other writers changed, that this context has no values of and that a controller
  /// shows, or would show now. The merge refreshes and reports all others.
  ///
  /// Among those that no controller shows, only matching ones are fetched, in few requests, and only for controllers
  /// that follow changes: large changes that no controller shows cost nothing.
  final func followed(among identities: [NSManagedObjectID]) -> [NSManagedObject] {
    guard !followers.isEmpty, !identities.isEmpty else { return [] }
    var found: [NSManagedObject] = []
    for results in followers.compactMap(\.results) {
      guard let query = results.followedQuery else { continue }
      var asked: [NSManagedObjectID] = []
      // Only a parent answers for objects that weren't saved yet.
      for id in identities where (!id.isTemporary || parent != nil) && query.includes(id.layout) {
        guard let known = registered(id) else {
          asked.append(id)
          continue
        }
        guard known.isFault, !known.state.contains(.rowAtHand) else { continue }
        if results.contents?.position(of: known) == nil {
          asked.append(id)
        } else {
          found.append(known)
        }
      }
      for start in stride(from: 0, to: asked.count, by: Self.identitiesPerFetch) {
        let part = asked[start..<min(start + Self.identitiesPerFetch, asked.count)]
        do { found += try fetch(Array(part), by: query) } catch { results.fallBehind() }
      }
    }
    return found
  }

  private final func fetch(
    _ identities: [NSManagedObjectID], by query: RowQuery
  ) throws -> [NSManagedObject] {
    let isAsked = NSPredicate(format: "SELF IN %@", identities as NSArray)
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = query.layout.entity
    request.includesSubentities = query.includesSubentities
    request.includesPendingChanges = false
    request.predicate =
      query.predicate.map { PredicateTree.compound(.and, [isAsked.tree, $0.tree]).predicate }
      ?? isAsked
    return try fetchObjects(request)
  }
}
