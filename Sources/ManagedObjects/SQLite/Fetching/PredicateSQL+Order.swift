import Foundation
import PredicateFormat

/// Sorting.
extension PredicateSQL {
  /// A term of `ORDER BY` for a sort descriptor; nil when SQL can't sort so.
  func orderTerm(_ descriptor: NSSortDescriptor) -> String? {
    guard let key = descriptor.sortKey?.key else { return nil }
    return operand(.key(key), scope).flatMap { orderTerm($0, descriptor) }
  }

  /// The same for a value that is there already.
  func orderTerm(_ value: SQLOperand, _ descriptor: NSSortDescriptor) -> String? {
    guard let sortKey = descriptor.sortKey, sortKey.reversesNullOrder == nil,
      value.type.isOrdered
    else { return nil }
    var sql = value.sql
    if value.type == .text, let selector = sortKey.selector, selector != "compare:" {
      guard let collation = SQLCollation(selector: selector) else { return nil }
      sql += " COLLATE \(collation.name)"
    }
    return "\(sql) \(sortKey.ascending ? "ASC" : "DESC")"
  }
}
