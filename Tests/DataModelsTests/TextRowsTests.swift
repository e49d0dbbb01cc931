import DataModels
import Testing

@Suite struct TextRowsTests {
  @Test(arguments: [
    ("a", "a"), ("a,b", "\"a,b\""), ("a\r\nb", "\"a\r\nb\""), ("a\"b", "\"a\"\"b\""),
    // With a combining mark behind it, a quotation mark is another character to Swift.
    ("a\"\u{301}b", "\"a\"\"\u{301}b\""),
  ])
  func cellsAreQuoted(cell: String, quoted: String) {
    #expect(TextRows.csv([cell, "c"]).utf8.elementsEqual("\(quoted),c\r\n".utf8))
  }
}
