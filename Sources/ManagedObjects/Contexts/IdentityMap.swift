/// The objects a context knows, by their identities: one object for a row.
final class IdentityMap {
  private struct Place: Hashable {
    let store: ObjectIdentifier?
    let root: ObjectIdentifier
  }

  private var tables: [Place: IdentityTable] = [:]
  /// The tables in the order of their making.
  private var list: [IdentityTable] = []
  /// The tables used last: neighbouring requests mostly want the same ones.
  private var recent: (IdentityTable?, IdentityTable?)

  @inline(__always)
  private func recentTable(_ store: StoreReference?, _ root: EntityLayout) -> IdentityTable? {
    if let table = recent.0, table.root === root, table.store === store { return table }
    if let table = recent.1, table.root === root, table.store === store { return table }
    return nil
  }

  /// The table of a hierarchy in a store, made when there is none.
  @inline(__always)
  func table(store: StoreReference?, root: EntityLayout) -> IdentityTable {
    recentTable(store, root) ?? findTable(store, root)
  }

  @inline(never)
  private func findTable(
    _ store: StoreReference?, _ root: EntityLayout
  ) -> IdentityTable {
    let place = Place(store: store.map(ObjectIdentifier.init), root: ObjectIdentifier(root))
    let table: IdentityTable
    if let known = tables[place] {
      table = known
    } else {
      table = IdentityTable(store: store, root: root)
      tables[place] = table
      list.append(table)
    }
    recent = (table, recent.0)
    return table
  }

  subscript(id: NSManagedObjectID) -> NSManagedObject? {
    get { table(store: id.storeReference, root: id.layout.root)[id.key] }
    set { table(store: id.storeReference, root: id.layout.root)[id.key] = newValue }
  }

  /// Enters an object under its own identity.
  func enter(_ object: NSManagedObject) {
    table(store: object.storeReference, root: object.layout.root).enter(object, object.key)
  }

  /// Takes an object out.
  func remove(_ object: NSManagedObject) {
    table(store: object.storeReference, root: object.layout.root)[object.key] = nil
  }

  /// Gives objects, which were never saved, their lasting identities.
  func replace(_ objects: [NSManagedObject], by keys: [LastingKey]) {
    var start = 0
    while start < objects.count {
      // A run of objects for the same table.
      let (store, root) = (keys[start].store, objects[start].layout.root)
      var end = start + 1
      while end < objects.count, keys[end].store === store, objects[end].layout.root === root {
        end += 1
      }
      let (old, new) = (table(store: nil, root: root), table(store: store, root: root))
      new.reserve(end - start)
      let temporary = old.count == end - start ? nil : objects[start..<end].map(\.key)
      for index in start..<end {
        objects[index].takeLastingIdentity(store: store, key: keys[index].key)
        new.enter(objects[index], keys[index].key)
      }
      if let temporary {
        for key in temporary { old[key] = nil }
      } else {
        old.removeAll()
      }
      start = end
    }
  }

  /// Every object.
  var objects: [NSManagedObject] {
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(count)
    for table in list { table.forEach { objects.append($0) } }
    return objects
  }

  /// Hands every object to `body`.
  func forEach(_ body: (NSManagedObject) -> Void) {
    for table in list { table.forEach(body) }
  }

  /// How many objects there are.
  var count: Int { list.reduce(0) { $0 + $1.count } }

  /// Lets go of the objects that `mayGo` allows and nobody else holds, and gives them.
  ///
  /// An object that only the map refers to can't be reached by another thread, so this is safe
  /// without weak references, which would cost every object more than its values.
  func sweep(_ mayGo: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    var gone: [NSManagedObject] = []
    for table in list { table.sweep(mayGo, into: &gone) }
    return gone
  }

  func removeAll() {
    tables.removeAll()
    list.removeAll()
    recent = (nil, nil)
  }
}

/// A lasting identity that an object is about to get: identities themselves are made when somebody
/// asks for them.
package struct LastingKey: Sendable {
  package let store: StoreReference
  package let key: Int64
}
