import DataModels
import Foundation

/// An object as an atomic store keeps it in memory.
///
/// Values are under the names of properties: those of attributes as objects have them; of a to-one
/// relationship the destination's node, or its identity; of a to-many relationship a set or array of
/// them.
open class NSAtomicStoreCacheNode: NSObject, @unchecked Sendable {
  // Sendable: used in the coordinator's turn of its stores alone.

  /// The identity of the object.
  public final let objectID: NSManagedObjectID
  /// The values by name.
  open var propertyCache: NSMutableDictionary?

  /// Makes a node without values.
  public init(objectID moid: NSManagedObjectID) { objectID = moid }

  /// The value of a property; nil for none.
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
