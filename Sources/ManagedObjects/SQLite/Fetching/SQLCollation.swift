import CSQLite
import Foundation
import PredicateFormat

/// An order of texts that sort descriptors ask for, as a collation of SQLite.
enum SQLCollation: String, CaseIterable {
  case caseInsensitiveCompare = "caseInsensitiveCompare:"
  case localizedCompare = "localizedCompare:"
  case localizedCaseInsensitiveCompare = "localizedCaseInsensitiveCompare:"
  case localizedStandardCompare = "localizedStandardCompare:"

  init?(selector: String) { self.init(rawValue: selector) }

  /// The collation's name.
  var name: String { "MomKit_\(rawValue.dropLast())" }

  private final class Order {
    let order: ValueOrder

    init(_ order: ValueOrder) { self.order = order }
  }

  /// Registers all of them on a connection, and the one that Core Data's own statements name.
  static func register(on connection: SQLiteConnection) throws(SQLiteError) {
    for collation in allCases {
      try register(collation.name, collation.rawValue, on: connection)
    }
    try register(
      "NSCollateFinderlike", SQLCollation.localizedStandardCompare.rawValue, on: connection)
  }

  private static func register(
    _ name: String, _ selector: String, on connection: SQLiteConnection
  ) throws(SQLiteError) {
    let context = Unmanaged.passRetained(Order(ValueOrder(selector: selector))).toOpaque()
    let result = sqlite3_create_collation_v2(
      connection.handle, name, SQLITE_UTF8, context,
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        let order = Unmanaged<Order>.fromOpaque(context).takeUnretainedValue().order
        let result = order.compare(
          .string(SQLCollation.text(left, leftCount)),
          .string(SQLCollation.text(right, rightCount)))
        return Int32(result.rawValue)
      },
      { context in if let context { Unmanaged<Order>.fromOpaque(context).release() } })
    guard result == SQLITE_OK else { throw connection.error(result, sql: nil) }
  }

  private static func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }
}
