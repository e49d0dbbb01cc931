import DataModels
import Foundation

/// A store that is read and written as a whole: a class of stores of one's own, in a format of one's own.
///
/// A class overrides ``load()``, which makes a node of each object in the file, and ``save()``, which
/// writes all nodes. The rest has defaults: new objects are named by UUIDs, and nodes take the values of
/// the attributes and relationships of their objects.
///
/// ```swift
/// final class NoteStore: NSAtomicStore {
///   override func load() throws {
///     let notes = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
///     addCacheNodes(Set(notes.map { key, text in … }))
///   }
///   override func save() throws { … }
/// }
/// NSPersistentStoreCoordinator.registerStoreClass(NoteStore.self, type: .init(rawValue: "Notes"))
/// ```
///
/// Fetches are answered in memory. A save that fails leaves the nodes as they were.
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
  // Sendable: as its superclass: the coordinator calls it in its turn of the stores.
  final var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]

  // MARK: To be overridden

  /// Reads the file and adds a node for each object by ``addCacheNodes(_:)``; called once, after
  /// ``NSPersistentStore/loadMetadata()``. A file that isn't there yet is no error.
  open func load() throws {
    throw unsupported("load()")
  }

  /// Writes all nodes, and the metadata, to the file.
  open func save() throws {
    throw unsupported("save()")
  }

  /// The reference object that names a new object: it goes into the object's URI as text, and must be
  /// hashable. Default: a UUID's text.
  open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

  /// A node for a new object. Default: a plain one, filled by ``updateCacheNode(_:from:)``.
  open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let node =
      nodes[managedObject.objectID] ?? NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    nodes[managedObject.objectID] = node
    updateCacheNode(node, from: managedObject)
    return node
  }

  /// Gives a node the values of its object. Default: of all attributes, and of relationships the nodes of
  /// their destinations.
  open func updateCacheNode(
    _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
  ) {
    for property in managedObject.layout.values where !property.isTransient {
      if property.kind == .toOne {
        let target = managedObject.value(forKey: property.name) as? NSManagedObject
        node.setValue(target.map { self.node(at: $0.objectID) }, forKey: property.name)
      } else {
        node.setValue(managedObject.value(forKey: property.name), forKey: property.name)
      }
    }
    for property in managedObject.layout.toManys where !property.isTransient {
      let targets = managedObject.loadedMembers(property).objects.map { self.node(at: $0.objectID) }
      node.setValue(
        property.isOrdered ? targets as Any : Set(targets), forKey: property.name)
    }
  }

  /// Called before the nodes of deleted objects are removed.
  open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

  // MARK: Nodes and identities

  /// Adds nodes to the store.
  public final func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    for node in cacheNodes { nodes[node.objectID] = node }
  }

  /// All nodes.
  public final func cacheNodes() -> Set<NSAtomicStoreCacheNode> { Set(nodes.values) }

  /// The node of an identity; nil when there is none.
  public final func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    nodes[objectID]
  }

  /// The identity of the object that a reference object names.
  public final func objectID(
    for entity: NSEntityDescription, withReferenceObject data: Any
  ) -> NSManagedObjectID {
    identity(
      for: entity, reference: data, "-[NSAtomicStore objectIDForEntity:referenceObject:]")
  }

  /// The reference object of an identity.
  public final func referenceObject(for objectID: NSManagedObjectID) -> Any {
    reference(of: objectID, "-[NSAtomicStore referenceObjectForObjectID:]")
  }

  /// The node of an identity, made when there is none yet: objects of one save lead to each other.
  private final func node(at id: NSManagedObjectID) -> NSAtomicStoreCacheNode {
    if let known = nodes[id] { return known }
    let node = NSAtomicStoreCacheNode(objectID: id)
    nodes[id] = node
    return node
  }
}
