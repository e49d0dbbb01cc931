#if !canImport(ObjectiveC)
  import Foundation
  import MomKit

  // Key-value coding as implemented by Foundation's collections on Apple's systems.

  extension NSArray {
    /// Returns an array of the elements' values for a key, with `NSNull` for missing values, or the number of elements
    /// for `@count`.
    public func value(forKey key: String) -> Any {
      key == "@count" ? NSNumber(value: count) : map { memberValue(key, of: $0) ?? NSNull() }
    }
  }

  extension NSSet {
    /// Returns a set of the elements' values for a key, or the number of elements for `@count`.
    public func value(forKey key: String) -> Any {
      key == "@count"
        ? NSNumber(value: count) : NSSet(array: allObjects.compactMap { memberValue(key, of: $0) })
    }
  }

  extension NSOrderedSet {
    /// Returns an ordered set of the elements' values for a key, or the number of elements for `@count`.
    public func value(forKey key: String) -> Any {
      if key == "@count" { return NSNumber(value: count) }
      // Filter duplicates here: Foundation's ordered set keeps them on Linux when it is created from an array.
      var seen: Set<AnyHashable> = []
      let values = array.compactMap { memberValue(key, of: $0) }.filter { value in
        (value as? AnyHashable).map { seen.insert($0).inserted } ?? true
      }
      return NSOrderedSet(array: values)
    }
  }

  /// The value of one element of a collection for a key.
  private func memberValue(_ key: String, of value: Any) -> Any? {
    switch value {
    case let object as NSManagedObject: object.value(forKey: key)
    case let set as NSOrderedSet: set.value(forKey: key)
    case let set as NSSet: set.value(forKey: key)
    case let dictionary as NSDictionary: dictionary[key]
    case let array as NSArray: array.value(forKey: key)
    default: nil
    }
  }
#endif
