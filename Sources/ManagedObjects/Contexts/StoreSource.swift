import DataModels
import Foundation

/// A coordinator's stores as the source of a context's rows.
struct StoreSource: RowSource {
  private let stores: KnownStores
  /// The query generation to read; nil for the current state.
  private let generation: QueryGeneration?

  init(_ stores: KnownStores, generation: QueryGeneration? = nil) {
    self.stores = stores
    self.generation = generation
  }

  var coordinator: NSPersistentStoreCoordinator { stores.coordinator }

  /// The stores that may have rows for a query.
  private func parts(for query: RowQuery) -> [KnownStores.Part] {
    stores.parts.filter { part in
      part.store.mayHaveRows(of: query.layout, includesSubentities: query.includesSubentities)
        && query.stores?.contains { $0 === part.store } ?? true
    }
  }

  /// Runs `body` with the engine that reads a store.
  private func reading<Result>(
    _ part: KnownStores.Part, _ body: (any StoreEngine) throws -> Result
  ) throws -> Result {
    try stores.coordinator.reading(part, of: generation, body)
  }

  /// The same; nil for a store that was removed or belongs to another coordinator, which has no rows here.
  private func reading<Result>(
    _ store: StoreReference?, _ body: (any StoreEngine) throws -> Result
  ) throws -> Result? {
    try store.flatMap(stores.part(of:)).map { try reading($0, body) }
  }

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    let parts = parts(for: query)
    var query = query
    // Offset and limit can't be applied per store: read all rows and apply them in memory.
    let isSpread = parts.count > 1
    if isSpread { (query.limit, query.offset) = (0, 0) }
    var isComplete = !isSpread
    for part in parts {
      try reading(part) { engine in
        sink.begin(part.reference)
        if try !engine.fetch(query, into: sink) { isComplete = false }
      }
    }
    return isComplete
  }

  func count(_ query: RowQuery) throws -> Int? {
    let parts = parts(for: query)
    guard parts.count == 1 else { return parts.isEmpty ? 0 : nil }
    return try reading(parts[0]) { try $0.count(query) }
  }

  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [NSDictionary]? {
    let parts = parts(for: query)
    guard parts.count == 1 else { return nil }
    return try reading(parts[0]) { engine in
      try (engine as? any DictionaryEngine)?.dictionaries(query, plan: plan)
    }
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    guard !id.isTemporary else { return false }
    return try reading(id.storeReference) { engine in
      sink.begin(id.storeReference)
      return try engine.fetchRow(id, into: sink)
    } ?? false
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    try reading(id.storeReference) { engine in
      sink.begin(id.storeReference)
      try engine.fetchDestinations(of: id, property, into: sink)
    }
  }

  func fetchDestinations(
    ofMany owners: [Int64]?, in store: StoreReference, _ layout: EntityLayout,
    _ property: PropertyLayout, into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool {
    try reading(store) { engine in
      sink.begin(store)
      return try engine.fetchDestinations(
        ofMany: owners, layout, property, into: sink, owner: owner)
    } ?? false
  }

  func fetchRows(
    _ keys: [Int64], in store: StoreReference, of root: EntityLayout, into sink: any RowSink
  ) throws -> Bool {
    try reading(store) { engine in
      sink.begin(store)
      return try engine.fetchRows(keys, of: root, into: sink)
    } ?? false
  }

  func obtainPermanentKeys(for objects: [NSManagedObject]) throws -> [PermanentKeys] {
    try coordinator.locked {
      var places: [KeyPlace] = []
      // Adjacent objects mostly go to the same place, so they are processed in runs.
      var runs: [(place: Int, length: Int)] = []
      var start = 0
      while start < objects.count {
        let first = objects[start]
        let range = objects.run(from: start) {
          $0.layout === first.layout && $0.scratch == nil && first.scratch == nil
        }
        let store = try coordinator.storeForInsertion(of: first)
        let root = first.layout.root
        let place =
          places.firstIndex { $0.store === store && $0.root === root } ?? places.count
        if place == places.count { places.append(KeyPlace(store: store, root: root)) }
        places[place].objects.append(range)
        places[place].count += range.count
        runs.append((place, range.count))
        start = range.upperBound
      }
      for index in places.indices {
        let engine = try places[index].store.requireEngine()
        if let engine = engine as? any CustomStoreEngine {
          places[index].given = try engine.keys(for: places[index].objects.flatMap { objects[$0] })
        } else {
          let (count, root) = (places[index].count, places[index].root)
          let first = try engine.reserveKeys(count, for: root)
          guard first > 0, first <= Int64.max - Int64(count) else {
            throw CoreDataError.make(
              NSPersistentStoreOperationError,
              "The store gave new rows of \(root.name) the key \(first), which isn't a valid key.")
          }
          places[index].next = first
        }
      }
      return runs.flatMap { places[$0.place].take($0.length) }
    }
  }

  /// The store and hierarchy in which new objects get their keys.
  private struct KeyPlace {
    let store: NSPersistentStore
    let root: EntityLayout
    /// The positions of the objects in the list, and their number.
    var objects: [Range<Int>] = []
    var count = 0
    var next: Int64 = 0
    /// The keys that the store itself assigned, in the objects' order; `next` is then an index into them.
    var given: [Int64]?

    init(store: NSPersistentStore, root: EntityLayout) {
      self.store = store
      self.root = root
    }

    /// The next keys.
    mutating func take(_ count: Int) -> [PermanentKeys] {
      let numbers = next..<next + Int64(count)
      next = numbers.upperBound
      guard let given else { return [PermanentKeys(store: store.reference, keys: numbers)] }
      return numbers.map {
        let key = given[Int($0)]
        return PermanentKeys(store: store.reference, keys: key..<key + 1)
      }
    }
  }
}

extension NSManagedObjectContext {
  /// The source of the context's rows.
  final var source: any RowSource {
    if let parent { return ParentSource(parent: parent, child: self) }
    guard let coordinator = persistentStoreCoordinator else { return NoSource() }
    return StoreSource(
      stores(of: coordinator), generation: presentGeneration(coordinator))
  }

  /// A coordinator's present stores.
  final func stores(of coordinator: NSPersistentStoreCoordinator) -> KnownStores {
    if let seen = readState.stores, seen.coordinator === coordinator, seen.isCurrent { return seen }
    let stores = KnownStores(coordinator)
    readState.stores = stores
    return stores
  }
}

/// The source of a context without a parent and coordinator: it has no rows.
struct NoSource: RowSource {
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool { true }
  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool { false }
  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {}

  func obtainPermanentKeys(for objects: [NSManagedObject]) throws -> [PermanentKeys] {
    throw CoreDataError.noStore(for: objects.first?.layout.name ?? "")
  }

  func save(_ changes: ChangedObjects, whenWritten: (SavedObjects) -> Void) throws {
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "The context has neither a parent nor a coordinator.")
  }
}
