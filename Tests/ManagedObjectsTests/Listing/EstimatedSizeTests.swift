import Testing

@testable import ManagedObjects

/// Estimated table sizes, for versions of SQLite that can't determine them.
@Suite struct EstimatedSizeTests {
  @Test func theyAreNearThoseOfPages() throws {
    let connection = try SQLiteConnection.inMemory()
    try connection.execute(
      "CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZTEXT VARCHAR, ZDATE TIMESTAMP, "
        + "ZDATA BLOB, ZNONE VARCHAR)")
    try connection.execute("CREATE INDEX Z_BYTEXT ON ZNOTE (ZTEXT)")
    try connection.execute("CREATE TABLE \"odd \"\"name\" (\"an \"\"odd one\")")
    try connection.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        + "INSERT INTO ZNOTE SELECT i, i % 3, printf('note %06d', i), i * 1.5, zeroblob(i % 200), NULL FROM n"
    )
    let told = try StoreStatistics.tables(connection)
    let estimated = try StoreStatistics.estimatedTables(connection)
    let real = try #require(told.first { $0.name == "ZNOTE" })
    let guess = try #require(estimated.first { $0.name == "ZNOTE" })
    #expect((0.85...1.15).contains(Double(guess.bytes) / Double(real.bytes)))
    #expect((0.7...1.3).contains(Double(guess.indexBytes) / Double(real.indexBytes)))
    #expect(estimated.contains { $0.name == "odd \"name" && $0.bytes > 0 })
  }
}
