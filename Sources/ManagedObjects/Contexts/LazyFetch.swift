import DataModels
import Foundation
import PredicateFormat

/// The results of a fetch with a batch size: faults, whose rows come a batch at a time when one of
/// the batch is first used.
final class LazyFetch {
  let layout: EntityLayout
  private let size: Int
  private let identities: [NSManagedObjectID]
  /// Where each identity is, by its key; made when the first fault is fired.
  private lazy var positions = Dictionary(
    identities.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  private var loaded: Set<Int> = []

  init(_ identities: [NSManagedObjectID], of layout: EntityLayout, batchSize: Int) {
    self.identities = identities
    self.layout = layout
    size = batchSize
  }

  /// Whether every batch was asked for.
  var isSpent: Bool { loaded.count * size >= identities.count }

  /// The batch that an object belongs to, once; nil when it belongs to none, or to one that was
  /// asked for already.
  func takeBatch(of identity: NSManagedObjectID) -> [NSManagedObjectID]? {
    guard let position = positions[identity.key], identities[position].isSame(as: identity),
      loaded.insert(position / size).inserted
    else { return nil }
    let start = position / size * size
    return Array(identities[start..<min(start + size, identities.count)])
  }
}

extension NSManagedObjectContext {
  /// How many fetches with a batch size are remembered; the faults of older ones load one by one.
  private static let lazyFetchLimit = 16

  /// Remembers which faults are to be loaded together.
  final func remember(_ objects: [NSManagedObject], of layout: EntityLayout, batchSize: Int) {
    let faults = objects.filter { $0.isFault && !$0.state.contains(.rowAtHand) }
    guard faults.count > 1 else { return }
    if lazyFetches.count == Self.lazyFetchLimit { lazyFetches.removeFirst() }
    lazyFetches.append(LazyFetch(faults.map(\.identity), of: layout, batchSize: batchSize))
  }

  /// Loads the batch of a fault, if it is of a fetch with a batch size.
  final func loadBatch(of object: NSManagedObject) throws {
    guard !lazyFetches.isEmpty, !object.identity.isTemporaryID else { return }
    for fetch in lazyFetches.reversed() {
      guard let batch = fetch.takeBatch(of: object.identity) else { continue }
      lazyFetches.removeAll(where: \.isSpent)
      let query = RowQuery(
        layout: fetch.layout, predicate: NSPredicate(format: "SELF IN %@", batch as NSArray))
      _ = try source.fetch(query, into: ObjectSink(self))
      return
    }
  }
}
