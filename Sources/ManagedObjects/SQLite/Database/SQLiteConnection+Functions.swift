import CSQLite
import Foundation

/// The functions of SQL that Core Data's triggers and indexes call. Without them every write to a
/// table with a derived attribute fails.
extension SQLiteConnection {
  /// Registers them.
  func registerCoreDataFunctions() throws(SQLiteError) {
    // For the file it is enough that those exist which report to the object layer.
    for name in AffectedValues.functions {
      try register(name, arguments: 5) { call, _, _ in sqlite3_result_null(call) }
    }
    try register("NSPersistentHistoryBatchDeleteUpdateTrigger", arguments: -1) { call, _, _ in
      sqlite3_result_null(call)
    }
    try register("NSCoreDataNow", arguments: 0) { call, _, _ in
      sqlite3_result_double(call, Date().timeIntervalSinceReferenceDate)
    }
    try register("NSCoreDataCanonical", arguments: 1) { call, _, arguments in
      SQLText.pass(arguments, to: call) {
        $0.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      }
    }
    try register("NSCoreDataToUpper", arguments: 1) { call, _, arguments in
      SQLText.pass(arguments, to: call) { $0.uppercased() }
    }
    try register("NSCoreDataToLower", arguments: 1) { call, _, arguments in
      SQLText.pass(arguments, to: call) { $0.lowercased() }
    }
    // Lengths are counted in UTF-16 units, as NSString does; SQLite's own function counts scalars.
    try register("MomKitLength", arguments: 1) { call, _, arguments in
      guard let value = arguments?[0], let bytes = sqlite3_value_text(value) else {
        sqlite3_result_null(call)
        return
      }
      let count = Int(sqlite3_value_bytes(value))
      let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
      sqlite3_result_int64(call, Int64(text.utf16.count))
    }
  }

  private typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private func register(
    _ name: String, arguments: Int32, _ function: Function
  ) throws(SQLiteError) {
    let result = sqlite3_create_function_v2(
      handle, name, arguments, SQLITE_UTF8, nil, function, nil, nil, nil)
    guard result == SQLITE_OK else { throw error(result, sql: nil) }
  }
}

/// A function of one text.
enum SQLText {
  static func pass(
    _ arguments: UnsafeMutablePointer<OpaquePointer?>?, to call: OpaquePointer?,
    _ change: (String) -> String
  ) {
    guard let value = arguments?[0], let bytes = sqlite3_value_text(value) else {
      sqlite3_result_null(call)
      return
    }
    let count = Int(sqlite3_value_bytes(value))
    let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    pass(change(text), to: call)
  }

  /// Gives a text as a function's result.
  static func pass(_ text: String, to call: OpaquePointer?) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_result_text64(
          call, $0.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64($0.count),
          unsafeBitCast(-1, to: sqlite3_destructor_type.self), UInt8(SQLITE_UTF8))
      }
    }
  }
}
