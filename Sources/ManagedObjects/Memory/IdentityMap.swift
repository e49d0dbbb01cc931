/// The objects registered with a context, by identity: one object per row.
final class IdentityMap {
  private var tables: [IdentityTable.Place: IdentityTable] = [:]
  /// The tables in order of creation.
  private var list: [IdentityTable] = []
  /// The two most recently used tables, which ``list`` owns: successive requests mostly want the same ones.
  @exclusivity(unchecked)
  private var recent: (Unmanaged<IdentityTable>?, Unmanaged<IdentityTable>?)

  /// The table of a hierarchy in a store, created on demand. The map owns it.
  @inline(__always)
  private func reference(
    _ store: StoreReference?, _ layout: EntityLayout
  ) -> Unmanaged<IdentityTable> {
    let place = IdentityTable.Place(store, layout)
    if let table = recent.0, table._withUnsafeGuaranteedRef({ $0.place == place }) { return table }
    if let table = recent.1, table._withUnsafeGuaranteedRef({ $0.place == place }) { return table }
    return findTable(store, layout)
  }

  @inline(never)
  private func findTable(
    _ store: StoreReference?, _ layout: EntityLayout
  ) -> Unmanaged<IdentityTable> {
    let place = IdentityTable.Place(store, layout)
    let table: IdentityTable
    if let known = tables[place] {
      table = known
    } else {
      table = IdentityTable(store: store, root: layout.root)
      tables[place] = table
      list.append(table)
    }
    recent = (.passUnretained(table), recent.0)
    return .passUnretained(table)
  }

  /// The table of a hierarchy in a store, created on demand.
  func table(store: StoreReference?, _ layout: EntityLayout) -> IdentityTable {
    reference(store, layout).takeUnretainedValue()
  }

  subscript(id: NSManagedObjectID) -> NSManagedObject? {
    get {
      reference(id.storeReference, id.layout)._withUnsafeGuaranteedRef { $0[id.key] }
    }
    set {
      reference(id.storeReference, id.layout)._withUnsafeGuaranteedRef { $0[id.key] = newValue }
    }
  }

  /// Registers an object under its own identity.
  @inline(__always)
  func enter(_ object: NSManagedObject) {
    let table = reference(object.storeReference, object.layout)
    table._withUnsafeGuaranteedRef { $0.enter(object, object.rowKey) }
  }

  /// Removes an object.
  func remove(_ object: NSManagedObject) {
    table(store: object.storeReference, object.layout)[object.rowKey] = nil
  }

  /// Assigns permanent identities to objects that were never saved.
  func replace(_ objects: [NSManagedObject], by runs: [PermanentKeys]) {
    let temporary = list.filter { $0.place.store == nil }
    // These are usually all the unsaved objects; their tables' references then move to the stores' tables.
    let isAll =
      temporary.reduce(0) { $0 + $1.count } == objects.count
      && runs.reduce(0) { $0 + $1.keys.count } == objects.count
    if !isAll { objects.visit { remove($0) } }
    makeRoom(for: objects, runs)
    var start = 0
    for run in runs where start < objects.count {
      let end = min(start + run.keys.count, objects.count)
      var next = run.keys.lowerBound
      let table = table(store: run.store, objects[start].layout)
      objects.visit(start..<end) { object in
        object.adoptPermanentID(store: run.store, key: next)
        if isAll { table.adopt(object, next) } else { table.enter(object, next) }
        next += 1
      }
      start = end
    }
    if isAll { for table in temporary { table.abandonAll() } }
    NSManagedObjectID.noteSuccessions()
  }

  /// Registers objects under the permanent identities that an ancestor context has assigned since.
  ///
  /// - Returns: the number of those objects, whether other objects, except inserted ones, are still waiting for theirs, and
  ///   the objects whose place an object of another entity has taken, which stay as they are.
  func adoptPermanentIDs() -> (taken: Int, isWaiting: Bool, replaced: [NSManagedObject]) {
    var succeeding: [(object: NSManagedObject, permanent: NSManagedObjectID)] = []
    var isWaiting = false
    for table in list where table.place.store == nil {
      table.forEach { object in
        if let permanent = object.identity.successor {
          succeeding.append((object, permanent))
        } else if !object.state.contains(.inserted) {
          isWaiting = true
        }
      }
    }
    var replaced: [NSManagedObject] = []
    for (object, permanent) in succeeding where self[permanent] == nil {
      guard object.layout === permanent.layout else {
        replaced.append(object)
        continue
      }
      remove(object)
      object.succeed(by: permanent)
      enter(object)
    }
    return (succeeding.count, isWaiting, replaced)
  }

  /// Calls `body` with every object. `body` must not add or remove objects.
  func visit(_ body: (NSManagedObject) -> Void) { for table in list { table.forEach(body) } }

  private func makeRoom(for objects: [NSManagedObject], _ runs: [PermanentKeys]) {
    var more: [ObjectIdentifier: (table: IdentityTable, count: Int)] = [:]
    var start = 0
    for run in runs where start < objects.count {
      let table = table(store: run.store, objects[start].layout)
      more[ObjectIdentifier(table), default: (table, 0)].count += run.keys.count
      start += run.keys.count
    }
    for (table, count) in more.values { table.reserve(count) }
  }

  /// Every object.
  var objects: [NSManagedObject] {
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(count)
    for table in list { table.forEach { objects.append($0) } }
    return objects
  }

  /// The number of objects.
  var count: Int { list.reduce(0) { $0 + $1.count } }

  /// Removes and returns the objects that `mayGo` accepts and that only the map references.
  ///
  /// No other thread can reach such an object, so this is safe without weak references, which would cost every object
  /// more than its values do.
  func sweep(_ mayGo: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    var gone: [NSManagedObject] = []
    for table in list { table.sweep(mayGo, into: &gone) }
    return gone
  }

  /// Removes every object, after calling `body` with all of them. The tables stay, since an object may be about to be
  /// entered into one.
  func removeAll(_ body: (NSManagedObject) -> Void) {
    for table in list { table.dismiss(body) }
    for table in list { table.removeAll() }
  }
}

/// The permanent keys about to be assigned to adjacent objects of one hierarchy. Object IDs themselves are created on
/// demand.
struct PermanentKeys: Sendable {
  let store: StoreReference
  let keys: Range<Int64>
}
