import Foundation
import PredicateFormat

/// A collation in SQLite for the comparison of a sort descriptor.
enum SQLCollation: String, CaseIterable {
  case caseInsensitiveCompare = "caseInsensitiveCompare:"
  case localizedCompare = "localizedCompare:"
  case localizedCaseInsensitiveCompare = "localizedCaseInsensitiveCompare:"
  case localizedStandardCompare = "localizedStandardCompare:"

  init?(selector: String) { self.init(rawValue: selector) }

  /// The collation's name.
  var name: String { "MomKit_\(rawValue.dropLast())" }

  /// Registers all of them on a connection, and the one that Core Data's own statements use.
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
    let order = ValueOrder(selector: selector)
    try connection.registerCollation(name, quick: order.compare) {
      order.compare(.string($0), .string($1))
    }
  }
}
