import Foundation
import PredicateFormat

/// Describes how the value of a destination property is obtained.
///
/// ```swift
/// let fullName = NSPropertyMapping()
/// fullName.name = "fullName"
/// fullName.valueExpression = NSExpression(format: "$source.name")
/// ```
open class NSPropertyMapping: NSObject, @unchecked Sendable {
  // Sendable: set up in one place, and only read once a migration uses it.

  /// The name of the property in the destination entity.
  open var name: String?
  /// The expression that yields the value; it may use `$source`, `$manager` and the other variables of a migration.
  open var valueExpression: NSExpression?
  /// User-defined information.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set { storedUserInfo = newValue }
  }
  // Separate storage: the right side of `userInfo?[key] = …` may read `userInfo` too, which would violate exclusive
  // access to a stored property.
  private final var storedUserInfo: [AnyHashable: Any]?
  /// Unknown content found by a decoder, to be written back.
  final var preserved: (any Sendable)?

  /// Creates an empty mapping.
  public override init() {
    super.init()
  }

  /// Whether the other object maps the same property from an equal expression, with equal user info.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyMapping else { return false }
    return self === other
      || name == other.name && valueExpression == other.valueExpression
        && ValueEquality.areEqual(userInfo ?? [:], other.userInfo ?? [:])
  }

  /// A hash that is consistent with ``isEqual(_:)``.
  open override var hash: Int { name.hashValue }
}

/// The keys of a property mapping in the expressions of a migration, such as `$propertyMapping.name`.
extension NSPropertyMapping: KeyValueReadable {
  /// The value of one of the keys `name` and `userInfo`.
  ///
  /// - Throws: `PredicateFormatError/undefinedKey(_:of:)` for any other key.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "self": .object(OpaqueObject(self))
    case "name": PredicateValue(reading: name)
    case "userInfo": PredicateValue(reading: userInfo)
    default: throw .undefinedKey(key, of: self)
    }
  }
}
