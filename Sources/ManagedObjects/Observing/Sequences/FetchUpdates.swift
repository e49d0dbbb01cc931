import DataModels
import Foundation

/// The results of a fetch request at one time, and what became of them since the time before.
public struct FetchUpdate<ResultType: NSManagedObject>: Sendable {
  /// The identities of the results, in their order. They are lasting ones.
  public let identities: [NSManagedObjectID]
  /// What came, went and moved since the last update; in the first one everything came.
  public let difference: CollectionDifference<NSManagedObjectID>
  /// Those that were there before and have other values now.
  public let changed: Set<NSManagedObjectID>
  let context: NSManagedObjectContext

  /// The results themselves; to be asked for on their context's queue.
  public var objects: [ResultType] {
    identities.compactMap { context.knownOrFault($0) as? ResultType }
  }
}

// The request is a copy that nobody else has.
/// The results of a fetch request, now and whenever they change; see
/// ``NSManagedObjectContext/updates(of:)``.
public struct FetchUpdates<ResultType: NSManagedObject>: AsyncSequence, @unchecked Sendable {
  /// What is told.
  public typealias Element = FetchUpdate<ResultType>

  let context: NSManagedObjectContext
  let request: NSFetchRequest<ResultType>

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(context: context, request: request) }

  /// Who listens; the context is listened to as long as this is kept.
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

    /// The results, at first as they are, then after each change; nil once the task is cancelled.
    ///
    /// - Throws: what the first fetch throws.
    public mutating func next() async throws -> FetchUpdate<ResultType>? {
      if watch == nil {
        let made = FetchWatch(context, request)
        watch = made
        reader = made.mailbox.makeReader()
        try await context.perform { try made.begin() }
      }
      guard let state = await reader?.next() else { return nil }
      let difference = state.identities.difference(from: last).inferringMoves()
      let known = Set(last)
      last = state.identities
      return FetchUpdate(
        identities: state.identities, difference: difference,
        changed: state.changed.intersection(known), context: context)
    }
  }
}

/// Results, and which of them changed since they were last looked at.
struct FetchState: Sendable {
  var identities: [NSManagedObjectID]
  var changed: Set<NSManagedObjectID> = []
}

/// Follows a request's results on the queue of its context.
final class FetchWatch<ResultType: NSManagedObject>: NSFetchedResultsControllerDelegate,
  @unchecked Sendable
{
  let mailbox = Mailbox<FetchState>()
  // Used on the context's queue only.
  private let controller: NSFetchedResultsController<ResultType>

  init(_ context: NSManagedObjectContext, _ request: NSFetchRequest<ResultType>) {
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
  }

  func begin() throws {
    controller.delegate = self
    controller.results.followsResets = true
    try controller.performFetch()
    put([])
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    // What stays is told of as taken out and put in again.
    let kept = diff.insertions.compactMap { change in
      if case .insert(_, let identity, .some) = change { identity } else { nil }
    }
    put(Set(kept))
  }

  private func put(_ changed: Set<NSManagedObjectID>) {
    let objects = controller.fetchedObjects ?? []
    let unsaved = objects.filter(\.objectID.isTemporaryID)
    if !unsaved.isEmpty { try? controller.managedObjectContext.obtainPermanentIDs(for: unsaved) }
    let identities = objects.map(\.objectID)
    mailbox.put { state in
      state = FetchState(
        identities: identities, changed: (state?.changed ?? []).union(changed))
    }
  }
}

extension NSManagedObjectContext {
  /// The results of a fetch request, now and whenever they change, with what became of them.
  ///
  /// ```swift
  /// let request = NSFetchRequest<Item>(entityName: "Item")
  /// request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.name, ascending: true)]
  /// for try await update in viewContext.updates(of: request) {
  ///   show(update.objects, animating: update.difference)
  /// }
  /// ```
  ///
  /// Results follow the context's changes as those of a fetched results controller do, unsaved ones included; of
  /// new objects that are among them lasting identities are asked for. While the loop is busy, changes are put
  /// together: the next turn gets the results as they are then, and the difference from those it had last. The
  /// sequence ends when the task is cancelled.
  ///
  /// - Parameter request: what is fetched; without sort descriptors new objects come behind the others.
  public final func updates<ResultType: NSManagedObject>(
    of request: NSFetchRequest<ResultType>
  ) -> FetchUpdates<ResultType> {
    let copy = request.copy() as? NSFetchRequest<ResultType> ?? request
    copy.sortDescriptors = copy.sortDescriptors ?? []
    return FetchUpdates(context: self, request: copy)
  }
}
