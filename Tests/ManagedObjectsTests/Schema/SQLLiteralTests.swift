import Testing

@testable import ManagedObjects

/// Names and texts in SQL.
@Suite struct SQLLiteralTests {
  /// To SQL a quotation mark ends a text, to Swift the combining mark behind it makes it another character.
  @Test func marksDoNotHideQuotationMarks() throws {
    let connection = try SQLiteConnection.inMemory()
    let (name, text) = ("a\"\u{301}b", "ג'\u{5B4}ירפה")
    let table = SQLLiteral.name(name)
    try connection.execute("CREATE TABLE \(table) (x)")
    try connection.execute("INSERT INTO \(table) VALUES (\(SQLLiteral.text(text)))")
    #expect(try connection.text("SELECT x FROM \(table)") == text)
    #expect(try connection.text("SELECT name FROM sqlite_master") == name)
  }
}
