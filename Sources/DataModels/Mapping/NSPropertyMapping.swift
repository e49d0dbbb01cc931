import Foundation
import PredicateFormat

/// Where the value of a destination property comes from.
open class NSPropertyMapping: NSObject, @unchecked Sendable {
  // Sendable: made in one place, and only read once a migration has it.

  /// The name of the property in the destination entity.
  open var name: String?
  /// What gives the value; `$source`, `$manager` and the other variables of a migration may occur.
  open var valueExpression: NSExpression?
  /// Free notes.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set { storedUserInfo = newValue }
  }
  // Stored apart: in `userInfo?[key] = …` the right side may read it as well, which one variable doesn't allow.
  private final var storedUserInfo: [AnyHashable: Any]?
  /// What a decoder met and doesn't know, to be written back.
  final var preserved: (any Sendable)?

  /// Makes a mapping that says nothing yet.
  public override init() {
    super.init()
  }

  /// Whether the other is a mapping of the same property from the same value, with the same notes.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyMapping else { return false }
    return self === other
      || name == other.name && valueExpression == other.valueExpression
        && ValueEquality.areEqual(userInfo ?? [:], other.userInfo ?? [:])
  }

  /// Follows ``isEqual(_:)``.
  open override var hash: Int { name.hashValue }
}
