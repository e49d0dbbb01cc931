import DataModels
import Foundation
import PredicateFormat

/// The results of a fetch with a batch size: faults whose rows are loaded one batch at a time, when an object of the
/// batch is first accessed.
final class LazyFetch {
  let layout: EntityLayout
  /// The store of the faults.
  let store: StoreReference?
  private let size: Int
  private let keys: [Int64]
  /// The position of each key; built when a fault fires outside the next batch.
  private lazy var positions = Dictionary(
    keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  private var loaded: Set<Int> = []
  /// The batch after the one requested last.
  private var next = 0

  init(_ keys: [Int64], in store: StoreReference?, of layout: EntityLayout, batchSize: Int) {
    self.keys = keys
    self.store = store
    self.layout = layout
    size = batchSize
  }

  /// Whether every batch has been requested.
  var isSpent: Bool { loaded.count * size >= keys.count }

  /// The keys of the batch that an object belongs to, returned once; nil if it belongs to none or its batch was
  /// requested already.
  func takeBatch(of object: NSManagedObject) -> [Int64]? {
    guard object.storeReference === store, object.layout.root === layout.root,
      let batch = batch(of: object.rowKey), loaded.insert(batch).inserted
    else { return nil }
    next = batch + 1
    return Array(keys[range(batch)])
  }

  /// Iterating the results mostly needs the next batch.
  private func batch(of key: Int64) -> Int? {
    if keys[range(next)].contains(key) { return next }
    return positions[key].map { $0 / size }
  }

  private func range(_ batch: Int) -> Range<Int> {
    let start = min(batch * size, keys.count)
    return start..<min(start + size, keys.count)
  }
}

extension NSManagedObjectContext {
  /// The maximum number of fetches with a batch size that are remembered; the faults of older ones load one by one.
  private static let lazyFetchLimit = 16

  /// Records the faults that are to be loaded in batches.
  final func remember(_ objects: [NSManagedObject], of layout: EntityLayout, batchSize: Int) {
    var keys: [(store: StoreReference?, keys: [Int64])] = []
    objects.visit { object in
      guard object.isFault, !object.state.contains(.rowAtHand) else { return }
      if keys.last?.store !== object.storeReference || keys.isEmpty {
        let store = object.storeReference
        // The rows of several stores come one store after the other, or mixed by a sort order.
        if let index = keys.firstIndex(where: { $0.store === store }) {
          keys.append(keys.remove(at: index))
        } else {
          keys.append((store, []))
        }
      }
      keys[keys.count - 1].keys.append(object.rowKey)
    }
    for (store, keys) in keys where keys.count > 1 {
      if lazyFetches.count == Self.lazyFetchLimit { lazyFetches.removeFirst() }
      lazyFetches.append(LazyFetch(keys, in: store, of: layout, batchSize: batchSize))
    }
  }

  /// Loads the batch of a fault, if it belongs to a fetch with a batch size.
  final func loadBatch(of object: NSManagedObject) throws {
    guard !lazyFetches.isEmpty, !object.isTemporary else { return }
    for fetch in lazyFetches.reversed() {
      guard let batch = fetch.takeBatch(of: object) else { continue }
      lazyFetches.removeAll(where: \.isSpent)
      try load(batch, of: fetch)
      return
    }
  }

  private final func load(_ batch: [Int64], of fetch: LazyFetch) throws {
    if let store = fetch.store,
      try source.fetchRows(batch, in: store, of: fetch.layout.root, into: ObjectSink(self))
    {
      return
    }
    let table = identityMap.table(store: fetch.store, fetch.layout)
    let identities = batch.compactMap { table[$0]?.identity }
    let query = RowQuery(
      layout: fetch.layout, predicate: NSPredicate(format: "SELF IN %@", identities as NSArray))
    _ = try source.fetch(query, into: ObjectSink(self))
  }
}
