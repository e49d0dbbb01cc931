import Foundation
import OrderedCollections

/// Compares values of user info, defaults and the like, regardless of their Swift or Foundation representation.
///
/// Numbers are compared by value and kind (true doesn't equal 1), and decimals without hashing an `NSDecimalNumber`,
/// whose hash recurses infinitely on Linux. Nested values are compared without recursion.
enum ValueEquality {
  static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
    var pending = [(left, right)]
    while let (left, right) = pending.popLast() {
      guard let left, let right else {
        if left == nil && right == nil { continue }
        return false
      }
      if let lefts = elements(left), let rights = elements(right) {
        guard lefts.count == rights.count else { return false }
        pending += zip(lefts, rights).map { ($0, $1) }
      } else if let lefts = entries(left), let rights = entries(right) {
        guard lefts.count == rights.count else { return false }
        for (key, value) in lefts {
          guard let other = rights[key] else { return false }
          pending.append((value, other))
        }
      } else if !areEqualScalars(AttributeValue(left), AttributeValue(right)) {
        return false
      }
    }
    return true
  }

  /// Whether two dictionaries have equal values for the same keys, in any order.
  static func areEqual(
    _ left: OrderedDictionary<AnyHashable, Any>, _ right: OrderedDictionary<AnyHashable, Any>
  ) -> Bool {
    left.count == right.count
      && left.allSatisfy { key, value in
        guard let other = right[key] else { return false }
        return areEqual(value, other)
      }
  }

  /// Whether two default values are equal for an attribute of a given type.
  static func areEqual(
    _ left: AttributeValue, _ right: AttributeValue, as type: NSAttributeType
  ) -> Bool {
    areEqualScalars(left.normalized(for: type) ?? left, right.normalized(for: type) ?? right)
  }

  private static func elements(_ value: Any) -> [Any]? {
    (value as? [Any]) ?? (value as? NSArray).map { $0.map { $0 } }
  }

  private static func entries(_ value: Any) -> [AnyHashable: Any]? {
    switch value {
    case let value as [AnyHashable: Any]: value
    case let value as OrderedDictionary<AnyHashable, Any>: UserInfo.dictionary(value)
    default: nil
    }
  }

  private static func areEqualScalars(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
    case (.float(let left), .float(let right)): left == right || (left.isNaN && right.isNaN)
    case (.string(let left), .string(let right)): left == right
    case (.other(let left), .other(let right)):
      left === right || areEqualObjects(left.value, right.value)
    default: false
    }
  }

  private static func areEqualObjects(_ left: Any, _ right: Any) -> Bool {
    switch (left, right) {
    case (let left as NSObject, let right as NSObject): left === right || left.isEqual(right)
    case (let left as any Equatable, _): isEqual(left, right)
    default: type(of: left) is AnyClass && left as AnyObject === right as AnyObject
    }
  }

  private static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
    (right as? Value).map { left == $0 } ?? false
  }
}
