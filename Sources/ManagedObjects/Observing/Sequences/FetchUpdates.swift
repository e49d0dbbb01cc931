import DataModels
import Foundation

/// The results of a fetch request at one time, and their changes since the previous update.
///
/// ```swift
/// for try await update in context.updates(of: request) {
///   print(update.identities.count, update.difference.count, update.changed.count)
/// }
/// ```
public struct FetchUpdate<ResultType: NSManagedObject>: Sendable {
  /// The IDs of the results, in order. They are permanent.
  public let identities: [NSManagedObjectID]
  /// The insertions, removals and moves since the last update; in the first update everything is an insertion.
  public let difference: CollectionDifference<NSManagedObjectID>
  /// The results that were there before and whose values have changed.
  public let changed: Set<NSManagedObjectID>
  let context: NSManagedObjectContext

  /// The results as objects; use them on their context's queue.
  public var objects: [ResultType] {
    identities.compactMap { context.knownOrFault($0) as? ResultType }
  }
}

// Sendable: the request is a private copy.
/// An asynchronous sequence of a fetch request's results, now and after each change; see
/// ``NSManagedObjectContext/updates(of:)``.
public struct FetchUpdates<ResultType: NSManagedObject>: AsyncSequence, @unchecked Sendable {
  /// The updates.
  public typealias Element = FetchUpdate<ResultType>

  let context: NSManagedObjectContext
  let request: NSFetchRequest<ResultType>

  /// Starts observing.
  public func makeAsyncIterator() -> Iterator { Iterator(context: context, request: request) }

  /// The iterator. It observes the context as long as it exists.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let context: NSManagedObjectContext
    fileprivate let request: NSFetchRequest<ResultType>
    private var watch: FetchWatch<ResultType>?
    private var reader: Mailbox<FetchState>.Reader?
    private var last: [NSManagedObjectID] = []

    fileprivate init(context: NSManagedObjectContext, request: NSFetchRequest<ResultType>) {
      self.context = context
      self.request = request
    }

    /// The current results first, then the results after each change; nil once the task is cancelled.
    ///
    /// - Throws: errors of the first fetch.
    public mutating func next() async throws -> FetchUpdate<ResultType>? {
      if watch == nil {
        let made = FetchWatch(context, request)
        watch = made
        reader = made.mailbox.makeReader()
        try await context.perform { try made.begin() }
      }
      guard let state = await reader?.next() else { return nil }
      let difference = state.difference(from: last)
      let known = Set(last)
      last = state.identities
      return FetchUpdate(
        identities: state.identities, difference: difference,
        changed: state.changed.intersection(known), context: context)
    }
  }
}

/// Results, and which of them have changed since the last delivery.
struct FetchState: Sendable {
  var identities: [NSManagedObjectID]
  var changed: Set<NSManagedObjectID> = []

  /// The insertions, removals and moves that lead here from earlier results.
  ///
  /// No result is there twice, so those that stay are the longest run that ascends in both. The standard library's
  /// difference takes the square of the number of changes in time and memory: with a first update of 100,000 results,
  /// 40 GB.
  func difference(from last: [NSManagedObjectID]) -> CollectionDifference<NSManagedObjectID> {
    let oldPlaces = Dictionary(
      last.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var newPlaces = [Int?](repeating: nil, count: last.count)
    var kept: [(old: Int, new: Int)] = []
    for (new, identity) in identities.enumerated() {
      guard let old = oldPlaces[identity] else { continue }
      newPlaces[old] = new
      kept.append((old: old, new: new))
    }
    let staying = ContentsChange.inPlace(kept, lower: -1, upper: Int.max)
    // In the order in which the difference sorts them, which is faster then.
    var changes: [CollectionDifference<NSManagedObjectID>.Change] = []
    for (old, identity) in last.enumerated() {
      let new = newPlaces[old]
      if let new, staying.contains(new) { continue }
      changes.append(.remove(offset: old, element: identity, associatedWith: new))
    }
    for (new, identity) in identities.enumerated() where !staying.contains(new) {
      changes.append(
        .insert(offset: new, element: identity, associatedWith: oldPlaces[identity]))
    }
    return CollectionDifference(changes) ?? identities.difference(from: last).inferringMoves()
  }
}

/// Follows a request's results on its context's queue.
final class FetchWatch<ResultType: NSManagedObject>: NSFetchedResultsControllerDelegate,
  @unchecked Sendable
{
  let mailbox = Mailbox<FetchState>()
  // Sendable: used on the context's queue only.
  private let controller: NSFetchedResultsController<ResultType>

  init(_ context: NSManagedObjectContext, _ request: NSFetchRequest<ResultType>) {
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
  }

  func begin() throws {
    controller.delegate = self
    controller.results.followsResets = true
    controller.results.keepsLimits = true
    try controller.performFetch()
    put([])
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    // An object updated in place is reported as removed and inserted.
    let kept = diff.insertions.compactMap { change in
      if case .insert(_, let identity, .some) = change { identity } else { nil }
    }
    put(Set(kept))
  }

  private func put(_ changed: Set<NSManagedObjectID>) {
    let objects = controller.fetchedObjects ?? []
    let unsaved = objects.filter(\.objectID.isTemporary)
    if !unsaved.isEmpty { try? controller.managedObjectContext.obtainPermanentIDs(for: unsaved) }
    let identities = objects.map(\.objectID)
    mailbox.put { state in
      state = FetchState(
        identities: identities, changed: (state?.changed ?? []).union(changed))
    }
  }
}

extension ManagedObjectContextWatching where Self: NSManagedObjectContext {
  /// The results of a fetch request, now and after each change, with the changes.
  ///
  /// ```swift
  /// let request = NSFetchRequest<Item>(entityName: "Item")
  /// request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.name, ascending: true)]
  /// for try await update in viewContext.updates(of: request) {
  ///   show(update.objects, animating: update.difference)
  /// }
  /// ```
  ///
  /// Results follow the context's changes like those of a fetched results controller, including unsaved ones, but within
  /// the request's limit and offset; new objects among them obtain permanent IDs. Changes that occur while the loop is busy are merged: its next
  /// iteration gets the results at that time, and the difference from those it had last. The sequence ends when the
  /// task is cancelled.
  ///
  /// - Parameter request: the request; without sort descriptors, new objects are appended.
  public func updates<ResultType: NSManagedObject>(
    of request: NSFetchRequest<ResultType>
  ) -> FetchUpdates<ResultType> {
    let copy = request.copy() as? NSFetchRequest<ResultType> ?? request
    copy.sortDescriptors = copy.sortDescriptors ?? []
    return FetchUpdates(context: self, request: copy)
  }
}
