import DataModels
import Foundation

/// An object as an atomic store keeps it in memory.
///
/// ```swift
/// let id = store.objectID(for: entity, withReferenceObject: "note 1")
/// let node = NSAtomicStoreCacheNode(objectID: id)
/// node.setValue("Buy milk", forKey: "text")
/// store.addCacheNodes([node])
/// ```
///
/// Values are stored by property name: attribute values as objects have them; for a to-one relationship the
/// destination's node or ID; for a to-many relationship a set or array of these.
open class NSAtomicStoreCacheNode: NSObject, @unchecked Sendable {
  // Sendable: used only while the coordinator calls its stores, which it serializes.

  /// The object's ID.
  public final let objectID: NSManagedObjectID
  /// The values by name.
  open var propertyCache: NSMutableDictionary?

  /// Creates a node without values.
  public init(objectID moid: NSManagedObjectID) { objectID = moid }

  /// The value of a property; nil if there is none.
  open func value(forKey key: String) -> Any? {
    guard let value = propertyCache?.object(forKey: key), !(value is NSNull) else { return nil }
    return value
  }

  /// Sets the value of a property.
  open func setValue(_ value: Any?, forKey key: String) {
    let cache = propertyCache ?? NSMutableDictionary()
    propertyCache = cache
    if let value {
      cache.setObject(value, forKey: key as NSString)
    } else {
      cache.removeObject(forKey: key)
    }
  }
}

extension NSAtomicStoreCacheNode {
  /// Replaces nodes that the relationships lead to.
  final func replaceDestinations(_ replaced: [ObjectIdentifier: NSAtomicStoreCacheNode]) {
    func present(_ node: NSAtomicStoreCacheNode) -> NSAtomicStoreCacheNode {
      replaced[ObjectIdentifier(node)] ?? node
    }
    for property in objectID.layout.toOnes {
      guard let target = value(forKey: property.name) as? NSAtomicStoreCacheNode else { continue }
      if present(target) !== target { setValue(present(target), forKey: property.name) }
    }
    for property in objectID.layout.toManys {
      switch value(forKey: property.name) {
      case let list as [NSAtomicStoreCacheNode]: setValue(list.map(present), forKey: property.name)
      case let set as Set<NSAtomicStoreCacheNode>:
        setValue(Set(set.map(present)), forKey: property.name)
      default: break
      }
    }
  }
}
