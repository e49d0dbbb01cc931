import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

@Suite struct SQLiteConnectionTests {
  @Test func valuesComeBackAsTheyWere() throws {
    let connection = try SQLiteConnection.inMemory()
    try connection.execute("CREATE TABLE t (a, b, c, d, e, f)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)")
    try insert.bind(Int64.min, at: 1)
    try insert.bind(0.1, at: 2)
    try insert.bind("grün\u{0}🌿", at: 3)
    try insert.bind(Data([0, 255]), at: 4)
    try insert.bind("", at: 5)
    try insert.bind(Data(), at: 6)
    try insert.run()

    try connection.withStatement("SELECT * FROM t") { row in
      let hasRow = try row.step()
      #expect(hasRow)
      #expect(row.integer(at: 0) == .min)
      #expect(row.double(at: 1) == 0.1)
      #expect(row.text(at: 2) == "grün\u{0}🌿")
      #expect(row.blob(at: 3) == Data([0, 255]))
      #expect(row.type(at: 4) == .text)
      #expect(row.text(at: 4) == "")
      #expect(row.type(at: 5) == .blob)
      #expect(row.blob(at: 5) == Data())
      let hasSecondRow = try row.step()
      #expect(!hasSecondRow)
    }
  }

  @Test func oneTextMayRunInsideItself() throws {
    let connection = try SQLiteConnection.inMemory()
    let sql = "SELECT 1 UNION SELECT 2"
    try connection.withStatement(sql) { outer in
      let outerHasRow = try outer.step()
      #expect(outerHasRow)
      try connection.withStatement(sql) { inner in
        #expect(inner !== outer)
        let innerHasRow = try inner.step()
        #expect(innerHasRow)
      }
      let outerHasSecondRow = try outer.step()
      #expect(outerHasSecondRow)
      #expect(outer.integer(at: 0) == 2)
    }
  }

  @Test func aFailedTransactionLeavesNothing() throws {
    struct Stop: Error {}
    let connection = try SQLiteConnection.inMemory()
    try connection.execute("CREATE TABLE t (a UNIQUE)")
    #expect(throws: Stop.self) {
      try connection.transaction(.immediate) {
        try connection.execute("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    #expect(!connection.isInTransaction)
  }

  @Test func errorsCarryCodeStatementAndFile() throws {
    let connection = try SQLiteConnection.inMemory()
    try connection.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
    let error = #expect(throws: SQLiteError.self) {
      try connection.withStatement("INSERT INTO t VALUES (1)") { try $0.run() }
    }
    #expect(error?.code == .constraint)
    #expect(error?.extendedCode == 2067)
    #expect(error?.sql == "INSERT INTO t VALUES (1)")
    #expect(error?.path == ":memory:")
    #expect(throws: SQLiteError.self) { try connection.prepare("  -- nothing") }
  }

  @Test func aMissingFileAndAForeignFileAreRefused() throws {
    let folder = try TemporaryFolder()
    let missing = #expect(throws: SQLiteError.self) {
      try SQLiteConnection.reading(folder.file("none.sqlite"))
    }
    #expect(missing?.code == .cannotOpen)
    try Data(repeating: 65, count: 5000).write(to: folder.file("text.sqlite"))
    let foreign = #expect(throws: SQLiteError.self) {
      try SQLiteConnection.reading(folder.file("text.sqlite"))
    }
    #expect(foreign?.code == .notADatabase)
  }
}
