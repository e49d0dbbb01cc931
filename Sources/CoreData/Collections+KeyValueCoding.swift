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
        ? NSNumber(value: count)
        : NSSet(array: allObjects.compactMap { hashableValue(key, of: $0) })
    }
  }

  extension NSOrderedSet {
    /// Returns an ordered set of the elements' values for a key, or the number of elements for `@count`.
    public func value(forKey key: String) -> Any {
      if key == "@count" { return NSNumber(value: count) }
      // Filter duplicates here: Foundation's ordered set keeps them on Linux when it is created from an array.
      var seen: Set<AnyHashable> = []
      let values = array.compactMap { hashableValue(key, of: $0) }.filter { value in
        (value as? AnyHashable).map { seen.insert($0).inserted } ?? true
      }
      return NSOrderedSet(array: values)
    }
  }

  extension UserDefaults {
    /// The value of a setting.
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Sets a setting; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
  }

  /// Foundation's collections, which support key paths with collection operators.
  public protocol KeyValueCollection: NSObject {}

  extension NSArray: KeyValueCollection {}
  extension NSDictionary: KeyValueCollection {}
  extension NSOrderedSet: KeyValueCollection {}
  extension NSSet: KeyValueCollection {}

  extension KeyValueCollection {
    /// The value at a key path, which may contain operators: `@sum.price`, `@distinctUnionOfObjects.name`.
    public func value(forKeyPath keyPath: String) -> Any? {
      NSExpression(forKeyPath: keyPath).expressionValue(with: self, context: nil)
    }
  }

  /// The value of one element of a collection for a key, as it can be a member of a set.
  private func hashableValue(_ key: String, of value: Any) -> Any? {
    memberValue(key, of: value).map(HashableDecimalNumber.hashable)
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
