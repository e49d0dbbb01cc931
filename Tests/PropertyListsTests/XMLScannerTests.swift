import Testing

@testable import PropertyLists

/// Tags with attributes, and elements that are skipped.
@Suite struct XMLScannerTests {
  private func attributes(_ tag: String) throws -> [String] {
    var scanner = XMLScanner(Array(tag.utf8))
    _ = try scanner.next()
    return try scanner.attributes().map { "\($0.name)=\($0.value)" }
  }

  @Test(arguments: [
    ("<a>", []), ("<a/>", []), ("<a x=\"1\" y='2'>", ["x=1", "y=2"]), ("<a  x = '>' />", ["x=>"]),
    ("<a x='&lt;&#xE9;&amp;\"'\n y=\"\">", ["x=<é&\"", "y="]),
  ]) func attributesAreRead(tag: String, expected: [String]) throws {
    #expect(try attributes(tag) == expected)
  }

  @Test(arguments: [
    "<a x>", "<a x=1>", "<a x=\"1>", "<a x='1'y='2'>", "<a x='1' x='2'>", "<a x='<'>",
    "<a x='&lol;'>",
    "<a x='&lt'>", "<a ='1'>",
  ]) func otherTagsAreRefused(tag: String) {
    #expect(throws: PropertyListError.self) { try attributes(tag) }
  }

  /// Names are compared with those before: a tag of a million attributes would take hours.
  @Test func manyAttributesAreRefused() throws {
    func tag(_ count: Int) -> String {
      "<a" + (0..<count).map { " a\($0)=''" }.joined() + ">"
    }
    #expect(try attributes(tag(128)).count == 128)
    #expect(throws: PropertyListError.self) { try attributes(tag(129)) }
  }

  @Test func elementsArePassed() throws {
    let text = "<a>x<b c='>'>y<d/></b><!-- </a> --> z <![CDATA[</a>]]><?p </a>?></a><e/>"
    var scanner = XMLScanner(Array(text.utf8))
    #expect(try scanner.next() == .open("a", isEmpty: false))
    try scanner.skip("a", isEmpty: false)
    #expect(try scanner.next() == .open("e", isEmpty: true))
    #expect(try scanner.next() == .end)
    for wrong in ["<a><b></a>", "<a>", "<a></b>", String(repeating: "<a>", count: 100)] {
      var scanner = XMLScanner(Array(wrong.utf8))
      _ = try scanner.next()
      #expect(throws: PropertyListError.self) { try scanner.skip("a", isEmpty: false) }
    }
  }
}
