import Foundation
import PredicateFormat

/// Where the value of a destination property comes from.
open class NSPropertyMapping: NSObject, @unchecked Sendable {
  /// The name of the property in the destination entity.
  open var name: String?
  /// What gives the value; `$source`, `$manager` and the other variables of a migration may occur.
  open var valueExpression: NSExpression?
  /// Free notes.
  open var userInfo: [AnyHashable: Any]?
  /// What a decoder met and doesn't know, to be written back.
  package final var preserved: (any Sendable)?

  /// Makes a mapping that says nothing yet.
  public override init() {
    super.init()
  }
}
