import Foundation
import ManagedObjects

/// A layout and a real file.
extension StoreSchema {
  /// Makes sure that every column is where the model says: nothing is ever read or written by guess.
  func check(in connection: SQLiteConnection) throws {
    let needed =
      tables.map { ($0.name, $0.columns.map(\.name)) }
      + joinTables.map { join in
        (
          join.name,
          [join.ownerKey, join.inverseKey, join.ownerOrder, join.inverseOrder].compactMap { $0 }
        )
      }
    for (table, columns) in needed {
      var present: Set<String> = []
      try connection.withStatement("SELECT name FROM pragma_table_info(?)") { row in
        try row.bind(table, at: 1)
        while try row.step() { present.insert(row.text(at: 0) ?? "") }
      }
      let missing = columns.filter { !present.contains($0) }
      guard missing.isEmpty else {
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleSchemaError,
          "The store's table \(table) \(present.isEmpty ? "is missing" : "has no column ")"
            + (present.isEmpty ? "." : missing.joined(separator: ", ") + "."),
          [NSFilePathErrorKey: connection.path])
      }
    }
  }
}
