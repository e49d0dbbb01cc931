import Foundation

/// The SQL functions that Core Data's triggers and indexes call. Without them every write to a table with a derived
/// attribute fails.
extension SQLiteConnection {
  /// Registers the functions.
  func registerCoreDataFunctions() throws(SQLiteError) {
    // Triggers require these functions to exist. Here they are no-ops; AffectedValues replaces those that report.
    for name in AffectedValues.functions { try register(name, arguments: 5) { _ in .null } }
    try register("NSPersistentHistoryBatchDeleteUpdateTrigger", arguments: -1) { _ in .null }
    try register("NSCoreDataNow", arguments: 0) { _ in
      .real(Date().timeIntervalSinceReferenceDate)
    }
    try registerText("NSCoreDataCanonical") {
      .text($0.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
    }
    try registerText("NSCoreDataToUpper") { .text($0.uppercased()) }
    try registerText("NSCoreDataToLower") { .text($0.lowercased()) }
    // Lengths are counted in UTF-16 units, like those of NSString; SQLite's own function counts scalars.
    try registerText("MomKitLength") { .integer(Int64($0.utf16.count)) }
  }

  /// Registers a function of one string, which returns NULL for NULL.
  private func registerText(
    _ name: String, _ body: @escaping (String) -> SQLValue
  ) throws(SQLiteError) {
    try register(name, arguments: 1) { arguments in arguments[0].text.map(body) ?? .null }
  }
}
