import Foundation
import PredicateFormat

/// Key path evaluation with the semantics of key-value coding.
enum KeyPathWalk {
  /// The value at the end of a path from `start`; nil if a key on the way has no value.
  static func value(of start: Any?, _ keys: ArraySlice<String>) -> Any? {
    var current = start
    for (index, key) in zip(keys.indices, keys) {
      if key.hasPrefix("@") { return operate(key, on: current, keys[(index + 1)...]) }
      current = step(key, from: current)
      if current == nil { return nil }
    }
    return current
  }

  private static func step(_ key: String, from value: Any?) -> Any? {
    switch value {
    case let object as NSManagedObject: object.value(forKey: key)
    case let set as NSOrderedSet:
      // Foundation's initializer keeps duplicates in the array.
      NSOrderedSet(array: distinct(set.array.compactMap { step(key, from: $0) }))
    case let set as NSSet: collected(set.allObjects.compactMap { step(key, from: $0) })
    case let values as NSDictionary: values[key]
    case let array as [Any]: array.map { step(key, from: $0) ?? NSNull() }
    case let id as NSManagedObjectID where key == "entity": id.entity
    case let value?:
      // Keys of plain values: `name.length`, `name.uppercaseString`.
      (try? PredicateValue(reading: value).value(forKey: key))?.foundationValue
    case nil: nil
    }
  }

  private static func members(_ value: Any?) -> [Any] {
    switch value {
    case let set as NSOrderedSet: set.array
    case let set as NSSet: set.allObjects
    case let array as [Any]: array
    default: []
    }
  }

  /// The result of a collection operator, given a collection and the rest of the path.
  private static func operate(
    _ name: String, on value: Any?, _ rest: ArraySlice<String>
  ) -> Any? {
    let members = members(value)
    // The union of a set's values is a set, of anything else's an array.
    let union: ([Any]) -> Any = { value is NSSet ? collected($0) : distinct($0) }
    if name == "@count" { return NSNumber(value: members.count) }
    let values = members.compactMap { self.value(of: $0, rest) }.filter { !($0 is NSNull) }
    switch name {
    case "@sum": return HashableDecimalNumber.hashable(sum(values))
    case "@avg":
      // Key-value coding counts nil as 0, unlike SQL.
      return values.isEmpty
        ? NSNumber(value: 0)
        : HashableDecimalNumber.hashable(
          sum(values).dividing(by: NSDecimalNumber(value: members.count)))
    case "@min": return extreme(values, .orderedAscending)
    case "@max": return extreme(values, .orderedDescending)
    case "@unionOfObjects": return values
    case "@distinctUnionOfObjects": return union(values)
    case "@unionOfArrays", "@unionOfSets": return values.flatMap(Self.members)
    case "@distinctUnionOfArrays", "@distinctUnionOfSets":
      return union(values.flatMap(Self.members))
    default: return nil
    }
  }

  private static func collected(_ values: [Any]) -> NSSet {
    NSSet(array: values.map(HashableDecimalNumber.hashable))
  }

  private static func distinct(_ values: [Any]) -> [Any] {
    var seen: Set<AnyHashable> = []
    return values.map(HashableDecimalNumber.hashable).filter { value in
      (value as? AnyHashable).map { seen.insert($0).inserted } ?? true
    }
  }

  private static func sum(_ values: [Any]) -> NSDecimalNumber {
    values.reduce(NSDecimalNumber.zero) { sum, value in
      guard let number = AttributeCodec.decimal(value) else { return sum }
      return sum.adding(NSDecimalNumber(decimal: number))
    }
  }

  private static func extreme(_ values: [Any], _ wanted: ComparisonResult) -> Any? {
    let order = NSSortDescriptor(key: "self", ascending: true)
    return values.reduce(nil as Any?) { best, value in
      guard let best else { return value }
      return order.compare(value, to: best) == wanted ? value : best
    }
  }
}

extension String {
  /// The keys of a key path. Mostly it is one, which isn't looked at character by character.
  var pathKeys: [String] {
    isPath || isEmpty ? split(separator: ".").map(String.init) : [self]
  }

  /// Whether a key path may have several keys.
  var isPath: Bool { utf8.contains(UInt8(ascii: ".")) }
}
