/// The objects a context knows, by their identities: one object for a row.
struct IdentityMap {
  /// The objects of one hierarchy in one store.
  final class Table {
    var objects: [Int64: NSManagedObject] = [:]
  }

  private struct Place: Hashable {
    let store: ObjectIdentifier?
    let root: ObjectIdentifier
  }

  private var tables: [Place: Table] = [:]
  /// The table used last: neighbouring requests mostly want the same one.
  private var last: (place: Place, table: Table)?

  /// The table an identity belongs to, made when there is none.
  mutating func table(store: StoreReference?, root: EntityLayout) -> Table {
    let place = Place(store: store.map(ObjectIdentifier.init), root: ObjectIdentifier(root))
    if let last, last.place == place { return last.table }
    let table = tables[place] ?? Table()
    tables[place] = table
    last = (place, table)
    return table
  }

  private func knownTable(_ id: NSManagedObjectID) -> Table? {
    let place = Place(
      store: id.storeReference.map(ObjectIdentifier.init), root: ObjectIdentifier(id.layout.root))
    if let last, last.place == place { return last.table }
    return tables[place]
  }

  subscript(id: NSManagedObjectID) -> NSManagedObject? {
    get { knownTable(id)?.objects[id.key] }
    set {
      if let newValue {
        table(store: id.storeReference, root: id.layout.root).objects[id.key] = newValue
      } else {
        knownTable(id)?.objects[id.key] = nil
      }
    }
  }

  /// Gives objects their lasting identities.
  mutating func replace(_ objects: [NSManagedObject], by identities: [NSManagedObjectID]) {
    var last: (store: StoreReference?, root: EntityLayout, old: Table, new: Table)?
    for (object, identity) in zip(objects, identities) {
      let old = object.identity
      if last?.root !== identity.layout.root || last?.store !== identity.storeReference {
        let root = identity.layout.root
        let new = table(store: identity.storeReference, root: root)
        new.objects.reserveCapacity(new.objects.count + objects.count)
        last = (identity.storeReference, root, table(store: nil, root: root), new)
      }
      old.setSuccessor(identity)
      object.identity = identity
      last?.old.objects[old.key] = nil
      last?.new.objects[identity.key] = object
    }
  }

  /// Every object, in the order of their keys within a hierarchy.
  var objects: [NSManagedObject] { tables.values.flatMap(\.objects.values) }

  /// How many objects there are.
  var count: Int { tables.values.reduce(0) { $0 + $1.objects.count } }

  /// Lets go of the objects that `mayGo` allows and nobody else holds.
  ///
  /// An object that only the map refers to can't be reached by another thread, so this is safe
  /// without weak references, which would cost every object more than its values.
  func sweep(_ mayGo: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    var gone: [NSManagedObject] = []
    for table in tables.values {
      var free: [Int64] = []
      // Index by index: the collection of indices would hold the dictionary a second time.
      var index = table.objects.startIndex
      while index != table.objects.endIndex {
        let key = table.objects.keys[index]
        if isKnownUniquelyReferenced(&table.objects.values[index]) { free.append(key) }
        table.objects.formIndex(after: &index)
      }
      for key in free {
        guard let object = table.objects[key], mayGo(object) else { continue }
        table.objects[key] = nil
        gone.append(object)
      }
    }
    return gone
  }

  mutating func removeAll() {
    tables.removeAll()
    last = nil
  }
}
