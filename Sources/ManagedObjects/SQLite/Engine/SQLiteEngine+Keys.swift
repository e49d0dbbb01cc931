import Foundation

/// Key reservation, safe with concurrent programs.
extension SQLiteEngine {
  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 {
    // Those that were given in a batch that fails would be given again.
    try requireNoBatch()
    return try reserveKeysOfBatch(count, for: root)
  }

  /// Reserves keys within the transaction of a batch request, if there is one.
  func reserveKeysOfBatch(_ count: Int, for root: EntityLayout) throws -> Int64 {
    let entity = try entity(root)
    return try translatingErrors(NSPersistentStoreSaveError) {
      try reserveKeys(
        count, number: entity.rootNumber, name: entity.name, table: entity.table)
    }
  }

  func lastKey(of root: EntityLayout) throws -> Int64? {
    let number = try entity(root).rootNumber
    return try translatingErrors(NSPersistentStoreOpenError) { try lastKey(number) }
  }

  /// Reserves all keys of a hierarchy up to one.
  func reserveKeys(upTo last: Int64, for root: EntityLayout) throws {
    let next = try reserveKeys(0, for: root)
    if last >= next { _ = try reserveKeys(Int(last - next + 1), for: root) }
  }

  /// Reserves keys under an entity number, holding the store's write lock, since the store may have other writers.
  func reserveKeys(_ count: Int, number: Int, name: String, table: String) throws -> Int64 {
    try connection.transaction(.immediate) {
      try requireSameStore()
      let known = try lastKey(number)
      // Keys of rows that were inserted without updating the counter must not be reused.
      let highest = max(known ?? 0, try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0)
      let (last, isTooMuch) = highest.addingReportingOverflow(Int64(count) + 1)
      guard !isTooMuch else {
        throw CoreDataError.make(
          NSPersistentStoreSaveError,
          "The store has no keys left for '\(name)': the last one is \(highest).",
          userInfo: [NSFilePathErrorKey: connection.path])
      }
      if known == nil {
        try connection.withStatement(
          "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)"
        ) { row in
          try row.bind(Int64(number), at: 1)
          try row.bind(name, at: 2)
          try row.bind(highest, at: 3)
          try row.run()
        }
      }
      // The counter may contain anything, including NULL or text, as in any column.
      try connection.withStatement(
        "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?"
      ) { row in
        try row.bind(last - 1, at: 1)
        try row.bind(Int64(number), at: 2)
        try row.run()
      }
      guard connection.changedRowCount > 0 else {
        throw CoreDataError.make(
          NSPersistentStoreSaveError, "The store doesn't record the last key of '\(name)'.",
          userInfo: [NSFilePathErrorKey: connection.path])
      }
      return highest + 1
    }
  }

  private func lastKey(_ number: Int) throws -> Int64? {
    try connection.withStatement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?") { row in
      try row.bind(Int64(number), at: 1)
      return try row.step() ? row.integer(at: 0) : nil
    }
  }
}
