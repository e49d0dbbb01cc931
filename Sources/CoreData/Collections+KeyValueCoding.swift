#if !canImport(ObjectiveC)
  import Foundation
  import MomKit

  // What Foundation's collections do with keys on Apple's systems.

  extension NSArray {
    /// An array of the members' values for a key, `NSNull` for none; with `@count` their number.
    public func value(forKey key: String) -> Any {
      key == "@count" ? NSNumber(value: count) : map { memberValue(key, of: $0) ?? NSNull() }
    }
  }

  extension NSSet {
    /// A set of the members' values for a key; with `@count` their number.
    public func value(forKey key: String) -> Any {
      key == "@count"
        ? NSNumber(value: count) : NSSet(array: allObjects.compactMap { memberValue(key, of: $0) })
    }
  }

  extension NSOrderedSet {
    /// An ordered set of the members' values for a key; with `@count` their number.
    public func value(forKey key: String) -> Any {
      if key == "@count" { return NSNumber(value: count) }
      // Made of an array, a set of Foundation's keeps what comes twice there.
      var seen: Set<AnyHashable> = []
      let values = array.compactMap { memberValue(key, of: $0) }.filter { value in
        (value as? AnyHashable).map { seen.insert($0).inserted } ?? true
      }
      return NSOrderedSet(array: values)
    }
  }

  /// What one member of a collection has for a key.
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
