import Foundation
import PredicateFormat

/// Sorting.
extension PredicateSQL {
  /// The `ORDER BY` term for a sort descriptor; nil if SQL can't sort that way.
  func orderTerm(_ descriptor: NSSortDescriptor) -> String? {
    guard let key = descriptor.sortKey?.key else { return nil }
    return operand(.key(key), scope).flatMap { orderTerm($0, descriptor) }
  }

  /// The same for an operand.
  func orderTerm(_ value: SQLOperand, _ descriptor: NSSortDescriptor) -> String? {
    guard let sortKey = descriptor.sortKey, sortKey.reversesNullOrder == nil,
      value.type.isSortable
    else { return nil }
    var sql = value.sql
    if value.type == .text, let selector = sortKey.selector, selector != "compare:" {
      guard let collation = SQLCollation(selector: selector) else { return nil }
      sql += " COLLATE \(collation.name)"
    }
    return "\(sql) \(sortKey.ascending ? "ASC" : "DESC")"
  }
}
