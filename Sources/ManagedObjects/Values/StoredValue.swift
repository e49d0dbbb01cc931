import Foundation

/// A value of an attribute or of a to-one relationship, as objects and stores keep it.
///
/// The case says how a value is represented, the attribute what it means: a date is a `real`, a Boolean an `integer`.
/// Types that are rare or have a large inline representation are boxed.
@_spi(Engines) public enum StoredValue: @unchecked Sendable {
  // Sendable: immutable.

  /// No value.
  case null
  /// Integers of any width, and Booleans as 0 and 1.
  case integer(Int64)
  /// Doubles, floats, and dates as seconds since 2001.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case data(Data)
  /// The destination of a to-one relationship.
  case reference(NSManagedObjectID)
  /// A `Decimal`, `UUID`, `URL`, a composite's dictionary, or a transformable value.
  case box(ValueBox)

  /// Whether there is no value.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The destination of a to-one relationship, if there is one.
  public var reference: NSManagedObjectID? {
    if case .reference(let id) = self { id } else { nil }
  }
}

@_spi(Engines) extension StoredValue: Equatable {
  /// Whether two values are identical: strings compare by code units, numbers also by bit pattern.
  public static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    // By bit pattern too: a NaN must equal itself, or an object with one would always count as changed.
    case (.real(let left), .real(let right)): left == right || left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)): left.isLiterallyEqual(to: right)
    case (.data(let left), .data(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    case (.box(let left), .box(let right)): left.isEqual(to: right)
    // A decoded transformable value, and the bytes it was decoded from.
    case (.data(let data), .box(let box)), (.box(let box), .data(let data)): box.encoded == data
    default: false
    }
  }
}

/// A value of any type, kept by reference.
@_spi(Engines) public final class ValueBox: @unchecked Sendable {
  /// The value; immutable.
  public let value: Any
  /// The bytes that the value was decoded from; nil for a value set by a program.
  public let encoded: Data?

  /// Creates a box.
  public init(_ value: Any, encoded: Data? = nil) {
    self.value = value
    self.encoded = encoded
  }

  func isEqual(to other: ValueBox) -> Bool {
    self === other || Self.areEqual(value, other.value, depth: 0)
  }

  /// Whether two values are equal across their Foundation and Swift forms: an array of `NSNumber` set by a program
  /// equals what is read back from the store, whatever its class. Texts are compared literally, also as keys and members.
  /// Values nested too deeply count as different.
  private static func areEqual(_ left: Any, _ right: Any, depth: Int) -> Bool {
    guard depth < 100 else { return false }
    switch (left, right) {
    case (let left as String, let right as String): return left.isLiterallyEqual(to: right)
    case (let left as [Any], let right as [Any]):
      return left.count == right.count
        && zip(left, right).allSatisfy { areEqual($0, $1, depth: depth + 1) }
    case (let left as [String: Any], let right as [String: Any]):
      return left.count == right.count
        && left.allSatisfy { key, value in
          guard let found = right.index(forKey: key) else { return false }
          return key.isLiterallyEqual(to: right[found].key)
            && areEqual(value, right[found].value, depth: depth + 1)
        }
    case (let left as NSNumber, let right as NSNumber): return left.isEqual(right)
    case (let left as Date, let right as Date): return left == right
    case (let left as Data, let right as Data): return left == right
    case (let left as UUID, let right as UUID): return left == right
    case (let left as URL, let right as URL): return left == right
    case (let left as AnyHashable, let right as AnyHashable):
      return left == right && haveSameTexts(left.base, right.base)
    case (let left as NSObject, let right as NSObject):
      return left.isEqual(right) && haveSameTexts(left, right)
    default:
      return type(of: left) is AnyClass && (left as AnyObject) === (right as AnyObject)
    }
  }

  /// Whether equal collections have literally equal texts: sets and dictionaries compare theirs as Swift does.
  private static func haveSameTexts(_ left: Any, _ right: Any) -> Bool {
    let (left, right) = (texts(in: left, depth: 0), texts(in: right, depth: 0))
    guard !left.isEmpty || !right.isEmpty else { return true }
    return left.sorted { $0.lexicographicallyPrecedes($1) }
      == right.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The code units of all texts in a collection.
  private static func texts(in value: Any, depth: Int) -> [[UInt8]] {
    guard depth < 100 else { return [] }
    let members: [Any]
    switch value {
    case let text as String: return [Array(text.utf8)]
    // Each set as what it is: a cast to the other kind loses the members of subclasses, or hashes decimal numbers, which
    // Foundation's sets can't on Linux.
    case let set as Set<AnyHashable> where !(type(of: value) is AnyClass):
      members = set.map { $0.base }
    case let set as NSSet: members = set.allObjects
    case let set as NSOrderedSet: members = set.array
    case let list as [Any]: members = list
    case let entries as [AnyHashable: Any]:
      members = entries.flatMap { [$0.key.base, $0.value] }
    default: return []
    }
    return members.flatMap { texts(in: $0, depth: depth + 1) }
  }
}

extension String {
  /// Whether two strings have the same code units: "é" as one scalar differs from "é" as two, which Swift's `==`
  /// treats as equal. Replacing one by the other is a change, as in Core Data.
  func isLiterallyEqual(to other: String) -> Bool {
    let (left, right) = (utf8, other.utf8)
    guard left.count == right.count else { return false }
    return left.elementsEqual(right)
  }
}
