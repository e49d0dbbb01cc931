import DataModels
import Foundation

/// The engine of an atomic store, backed by the store's cache nodes.
final class AtomicStoreEngine: CustomStoreEngine {
  private unowned let store: NSAtomicStore
  let reference: StoreReference
  private var versions: [NSManagedObjectID: Int64] = [:]

  init(_ store: NSAtomicStore) {
    self.store = store
    reference = store.reference
  }

  // MARK: Reading

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    let nodes = store.nodes.values.filter { query.includes($0.objectID.layout) }
    for node in nodes.sorted(by: { $0.objectID.key < $1.objectID.key }) {
      try send(node, to: sink)
    }
    return false
  }

  func count(_ query: RowQuery) throws -> Int? {
    guard query.predicate == nil, query.limit == 0, query.offset == 0 else { return nil }
    return store.nodes.keys.count { query.includes($0.layout) }
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    guard let node = store.nodes[id] else { return false }
    try send(node, to: sink)
    return true
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    let ids = RelatedIdentities.ids(in: store.nodes[id]?.value(forKey: property.name), property)
    for id in ids { _ = try fetchRow(id, into: sink) }
  }

  private func send(_ node: NSAtomicStoreCacheNode, to sink: any RowSink) throws {
    let (id, values) = (node.objectID, try values(of: node))
    guard let slot = sink.beginRow(of: id.layout, key: id.key, version: version(id)) else { return }
    sink.fill(slot, with: values)
  }

  private func version(_ id: NSManagedObjectID) -> Int64 { versions[id] ?? 1 }

  private func values(of node: NSAtomicStoreCacheNode) throws -> [StoredValue] {
    try node.objectID.layout.values.map { property in
      guard !property.isTransient else { return .null }
      let value = node.value(forKey: property.name)
      guard property.kind == .toOne else {
        return try stored(value, property, of: node.objectID.layout)
      }
      return RelatedIdentities.id(of: value).map { .reference($0) } ?? .null
    }
  }

  // MARK: Writing

  func keys(for objects: [NSManagedObject]) throws -> [Int64] {
    objects.map { object in
      store.objectID(
        for: object.entity, withReferenceObject: store.newReferenceObject(for: object)
      ).key
    }
  }

  func prepare(_ changes: ChangedObjects) throws -> any PreparedSave {
    var conflicts = SaveConflicts()
    let written = StoreChanges(changes).writtenUpdates.map { changes.updated[$0] }
    // What another writer has deleted already is skipped: nothing is lost.
    let deleted = changes.deleted.filter { store.nodes[$0.objectID] != nil }
    for object in written + deleted + changes.guarded {
      let node = store.nodes[object.objectID]
      guard node == nil || version(object.objectID) != object.version else { continue }
      conflicts.versions.append((object, try node.map(row)))
    }
    // What was gone is to be written again, and another writer may have done so.
    for object in changes.inserted where object.version != 0 {
      guard let node = store.nodes[object.objectID] else { continue }
      conflicts.versions.append((object, try row(node)))
    }
    if conflicts.isEmpty { conflicts.references = missingReferences(changes) }
    guard conflicts.isEmpty else { throw conflicts }
    return DeferredSave { [self] in
      try write(changes, updating: written)
      return nil
    }
  }

  /// The errors of new references to objects that have no node.
  private func missingReferences(_ changes: ChangedObjects) -> [any Error] {
    let references = StoreChanges(changes).unguardedReferences
    guard !references.isEmpty else { return [] }
    let new = Set(changes.inserted.map { RowKey($0.identity) })
    let gone = Set(changes.deleted.map { RowKey($0.identity) })
    var missing = StoreConflicts()
    missing.references = references.filter {
      !new.contains(RowKey($0.target))
        && (store.nodes[$0.target] == nil || gone.contains(RowKey($0.target)))
    }
    return changes.conflicts(missing).references
  }

  /// - Parameter updated: the objects that differ from their nodes. The others' nodes may be newer than they are.
  private func write(_ changes: ChangedObjects, updating updated: [NSManagedObject]) throws {
    let before = store.nodes
    let caches = before.mapValues { $0.propertyCache?.mutableCopy() as? NSMutableDictionary }
    let (metadata, hadUnsavedMetadata) = (store.metadata, store.hasUnsavedMetadata)
    store.awaitedNodes = Set(changes.inserted.map(\.objectID))
    defer { store.awaitedNodes = [] }
    do {
      addNodes(of: changes.inserted)
      for object in updated {
        guard let node = store.nodes[object.objectID] else { continue }
        store.updateCacheNode(node, from: object)
      }
      let gone = Set(changes.deleted.compactMap { store.nodes[$0.objectID] })
      if !gone.isEmpty { store.willRemoveCacheNodes(gone) }
      for node in gone { store.nodes[node.objectID] = nil }
      try store.save()
    } catch {
      store.nodes = before
      for (id, cache) in caches { store.nodes[id]?.propertyCache = cache }
      store.metadata = metadata
      // Otherwise saves without changes would try again.
      store.hasUnsavedMetadata = hadUnsavedMetadata
      throw error
    }
    store.hasUnsavedMetadata = false
    for object in changes.inserted + updated {
      object.version &+= 1
      versions[object.objectID] = object.version
    }
    for object in changes.deleted { versions[object.objectID] = nil }
  }

  /// Adds the nodes of new objects, each as soon as it is made: others may be related to it.
  private func addNodes(of objects: [NSManagedObject]) {
    // Nodes that stood in for later ones, in the relationships of earlier ones.
    var substituted: [ObjectIdentifier: NSAtomicStoreCacheNode] = [:]
    for object in objects {
      let node = store.newCacheNode(for: object)
      let former = store.nodes.updateValue(node, forKey: node.objectID)
      if let former, former !== node { substituted[ObjectIdentifier(former)] = node }
    }
    guard !substituted.isEmpty else { return }
    for object in objects { store.nodes[object.objectID]?.replaceDestinations(substituted) }
  }

  func wantsSave(isEmpty: Bool) -> Bool { store.hasUnsavedMetadata && !store.isReadOnly }

  private func row(_ node: NSAtomicStoreCacheNode) throws -> StoredRow {
    try StoredRow(
      layout: node.objectID.layout, key: node.objectID.key, version: version(node.objectID),
      values: values(of: node))
  }

  func close() { store.nodes = [:] }
}

/// Relationship values of client-defined stores.
enum RelatedIdentities {
  static func id(of value: Any?) -> NSManagedObjectID? {
    switch value {
    case let node as NSAtomicStoreCacheNode: node.objectID
    case let id as NSManagedObjectID: id
    case let object as NSManagedObject: object.objectID
    default: nil
    }
  }

  /// The IDs in a collection: in order for an ordered relationship, otherwise by key.
  static func ids(in value: Any?, _ property: PropertyLayout) -> [NSManagedObjectID] {
    let members: [Any] =
      switch value {
      case let set as NSOrderedSet: set.array
      case let set as NSSet: set.allObjects
      case let array as [Any]: array
      case let array as NSArray: array.map { $0 }
      case let set as Set<NSAtomicStoreCacheNode>: Array(set)
      case let set as Set<NSManagedObjectID>: Array(set)
      case let set as Set<NSManagedObject>: Array(set)
      default: []
      }
    let ids = members.compactMap { id(of: $0) }
    return property.isOrdered ? ids : ids.sorted { $0.key < $1.key }
  }
}
