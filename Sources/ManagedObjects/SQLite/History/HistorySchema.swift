/// The schema of persistent history, the same in every store.
enum HistorySchema {
  static let changeNumber = 16001
  static let transactionNumber = 16002
  static let stringNumber = 16003

  /// The statements that create the tables and indexes.
  ///
  /// - Parameter tombstones: the number of columns for values of deleted objects.
  static func statements(tombstones: Int) -> [String] {
    let columns = (0..<tombstones).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
    let tables: [String] = [
      """
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
      ZCOLUMNS BLOB\(columns) )
      """,
      """
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
      ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
      ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
      """,
      stringTable,
      "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
    ]
    let indexes: [String] = [
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION "
        + "(ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
        + "(ZTIMESTAMP COLLATE BINARY ASC)",
      stringIndex,
    ]
    return tables + nameColumns.map(nameIndex) + indexes
  }

  /// The columns that refer to names. Older systems had none, and the names themselves in the rows.
  private static let nameColumns = ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]

  private static let stringTable = """
    CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZNAME VARCHAR )
    """

  private static let stringIndex =
    "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
    + "(ZNAME COLLATE BINARY ASC)"

  private static func nameIndex(_ column: String) -> String {
    "CREATE INDEX ATRANSACTION_\(column)_INDEX ON ATRANSACTION (\(column))"
  }
}

/// Histories of older systems.
extension HistorySchema {
  /// The statements that add what writing needs to a history that another system has made.
  static func additions(in connection: SQLiteConnection) throws -> [String] {
    let present = try nameColumns(in: connection)
    var statements: [String] = []
    if try !connection.hasTable("ATRANSACTIONSTRING") { statements += [stringTable, stringIndex] }
    for column in nameColumns where !present.contains(column) {
      statements.append("ALTER TABLE ATRANSACTION ADD COLUMN \(column) INTEGER")
      statements.append(nameIndex(column))
    }
    return statements
  }

  /// The columns of a history's transactions that refer to names.
  static func nameColumns(in connection: SQLiteConnection) throws -> Set<String> {
    try connection.withStatement("SELECT name FROM pragma_table_info('ATRANSACTION')") { row in
      var names: Set<String> = []
      while try row.step() { if let name = row.text(at: 0) { names.insert(name) } }
      return names.intersection(nameColumns)
    }
  }
}

extension HistorySchema {
  /// SQL for a text of a transaction `t`: by reference, or in the row itself. A store has columns for one or both, the
  /// oldest only for the latter.
  ///
  /// - Parameter column: the column with the text itself.
  static func text(_ column: String, in connection: SQLiteConnection) throws -> String {
    let hasStrings = try connection.hasTable("ATRANSACTIONSTRING")
    let present = try connection.withStatement("SELECT name FROM pragma_table_info('ATRANSACTION')")
    { row in
      var names: Set<String> = []
      while try row.step() { names.insert(row.text(at: 0) ?? "") }
      return names
    }
    let own = present.contains(column) ? "t.\(column)" : "NULL"
    guard hasStrings, present.contains("\(column)TS") else { return own }
    return "coalesce((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), \(own))"
  }

  /// The key of a string in the history, each of which is stored once.
  ///
  /// - Parameter makeKey: returns a key for a new string.
  static func key(
    ofText text: String, in connection: SQLiteConnection, makeKey: () throws -> Int64
  ) throws -> Int64 {
    let known = try connection.withStatement(
      "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?"
    ) { row -> Int64? in
      try row.bind(text, at: 1)
      return try row.step() ? row.integer(at: 0) : nil
    }
    if let known { return known }
    let key = try makeKey()
    try connection.withStatement(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)"
    ) { row in
      try row.bind(key, at: 1)
      try row.bind(Int64(stringNumber), at: 2)
      try row.bind(text, at: 3)
      try row.run()
    }
    return key
  }
}

extension SQLiteConnection {
  /// Whether the store has transactions of persistent history.
  var hasHistory: Bool {
    get throws {
      try hasTable("ACHANGE") && hasTable("ATRANSACTION")
        && integer("SELECT 1 FROM ATRANSACTION LIMIT 1") != nil
    }
  }
}
