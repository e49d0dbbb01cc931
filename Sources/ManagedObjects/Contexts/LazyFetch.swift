import DataModels
import Foundation
import PredicateFormat

/// The results of a fetch with a batch size: faults whose rows are loaded one batch at a time, when an object of the
/// batch is first accessed.
final class LazyFetch {
  let layout: EntityLayout
  private let size: Int
  private let identities: [NSManagedObjectID]
  /// The position of each identity, by key; built when the first fault fires.
  private lazy var positions = Dictionary(
    identities.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  private var loaded: Set<Int> = []

  init(_ identities: [NSManagedObjectID], of layout: EntityLayout, batchSize: Int) {
    self.identities = identities
    self.layout = layout
    size = batchSize
  }

  /// Whether every batch has been requested.
  var isSpent: Bool { loaded.count * size >= identities.count }

  /// The batch that an object belongs to, returned once; nil if it belongs to none or its batch was requested
  /// already.
  func takeBatch(of identity: NSManagedObjectID) -> [NSManagedObjectID]? {
    guard let position = positions[identity.key], identities[position].isSame(as: identity),
      loaded.insert(position / size).inserted
    else { return nil }
    let start = position / size * size
    return Array(identities[start..<min(start + size, identities.count)])
  }
}

extension NSManagedObjectContext {
  /// The maximum number of fetches with a batch size that are remembered; the faults of older ones load one by one.
  private static let lazyFetchLimit = 16

  /// Records the faults that are to be loaded in batches.
  final func remember(_ objects: [NSManagedObject], of layout: EntityLayout, batchSize: Int) {
    let faults = objects.filter { $0.isFault && !$0.state.contains(.rowAtHand) }
    guard faults.count > 1 else { return }
    if lazyFetches.count == Self.lazyFetchLimit { lazyFetches.removeFirst() }
    lazyFetches.append(LazyFetch(faults.map(\.identity), of: layout, batchSize: batchSize))
  }

  /// Loads the batch of a fault, if it belongs to a fetch with a batch size.
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
