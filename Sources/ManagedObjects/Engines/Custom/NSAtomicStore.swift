import DataModels
import Foundation

/// A store that is read and written as a whole. Subclass it to define a custom store in a custom format.
///
/// A subclass overrides ``load()``, which adds a node for each object in the file, and ``save()``, which writes all
/// nodes. The other methods have defaults: new objects are identified by UUIDs, and nodes take the attributes and
/// relationships of their objects.
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
/// Fetches are evaluated in memory. A failed save leaves the nodes as they were.
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
  // Sendable: like its superclass, because the coordinator serializes calls to its stores.
  final var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
  /// The IDs of the objects that the present save inserts.
  final var awaitedNodes: Set<NSManagedObjectID> = []

  // MARK: Methods to override

  /// Reads the file and adds a node for each object with ``addCacheNodes(_:)``. Called once, after
  /// ``NSPersistentStore/loadMetadata()``. A missing file isn't an error.
  open func load() throws {
    throw unsupported("load()")
  }

  /// Writes all nodes and the metadata to the file.
  open func save() throws {
    throw unsupported("save()")
  }

  /// A reference object that identifies a new object. It must be hashable, and becomes part of the object's URI as
  /// text. The default is the text of a UUID.
  open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

  /// A node for a new object. The default is a plain node filled by ``updateCacheNode(_:from:)``.
  open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let node =
      nodes[managedObject.objectID] ?? NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    nodes[managedObject.objectID] = node
    updateCacheNode(node, from: managedObject)
    return node
  }

  /// Updates a node with the values of its object. The default copies all attributes, and the destinations' nodes for
  /// relationships. A destination that has been deleted, to which a relationship without an inverse may still lead, has
  /// none: it is left out.
  open func updateCacheNode(
    _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
  ) {
    for property in managedObject.layout.values where !property.isTransient {
      if property.kind == .toOne {
        let target = managedObject.value(forKey: property.name) as? NSManagedObject
        node.setValue(target.flatMap { self.node(at: $0.objectID) }, forKey: property.name)
      } else {
        node.setValue(managedObject.value(forKey: property.name), forKey: property.name)
      }
    }
    for property in managedObject.layout.toManys where !property.isTransient {
      let targets = managedObject.loadedMembers(property).objects.compactMap {
        self.node(at: $0.objectID)
      }
      node.setValue(
        property.isOrdered ? targets as Any : Set(targets), forKey: property.name)
    }
  }

  /// Called before the nodes of deleted objects are removed.
  open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

  // MARK: Nodes and IDs

  /// Adds nodes to the store.
  public final func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    for node in cacheNodes { nodes[node.objectID] = node }
  }

  /// All nodes.
  public final func cacheNodes() -> Set<NSAtomicStoreCacheNode> { Set(nodes.values) }

  /// The node of an object ID; nil if there is none.
  public final func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    nodes[objectID]
  }

  /// The ID of the object that a reference object identifies.
  public final func objectID(
    for entity: NSEntityDescription, withReferenceObject data: Any
  ) -> NSManagedObjectID {
    identity(
      for: entity, reference: data, "-[NSAtomicStore objectIDForEntity:referenceObject:]")
  }

  /// The reference object of an ID.
  public final func referenceObject(for objectID: NSManagedObjectID) -> Any {
    reference(of: objectID, "-[NSAtomicStore referenceObjectForObjectID:]")
  }

  /// The node of an ID, created on demand for a new object, since objects of one save may refer to each other.
  private final func node(at id: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    if let known = nodes[id] { return known }
    guard awaitedNodes.contains(id) else { return nil }
    let node = NSAtomicStoreCacheNode(objectID: id)
    nodes[id] = node
    return node
  }
}
