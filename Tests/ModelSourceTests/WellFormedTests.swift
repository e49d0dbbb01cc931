import Foundation
import Testing

@testable import ModelSource

/// Which XML is well-formed, and the location where it isn't.
@Suite struct WellFormedTests {
  private static let prefix = "the file is not well-formed XML: "

  @Test(arguments: [
    ("<a b='1'c='2'/>", "1:9", "a space is missing between attributes"),
    ("<a b='1' / >", "1:11", "a '/' inside a tag"),
    ("<a></a b='1'>", "1:8", "an end tag contains more than a name"),
    ("<a></b>", "1:8", "an end tag doesn't match the open element"),
    ("<a/></a>", "1:9", "an end tag doesn't match the open element"),
    ("<a/>\n<b/>", "2:1", "a second root element"),
    ("<a/>text", "1:5", "text outside the root element"),
    ("text<a/>", "1:1", "text outside the root element"),
    ("<![CDATA[x]]><a/>", "1:1", "text outside the root element"),
    ("<!-- none -->", "1:14", "the file ends too early"),
    ("<a><!-- one -- two --></a>", "1:13", "'--' inside a comment"),
    ("<a>]]></a>", "1:4", "']]>' outside of a CDATA section"),
    ("<a>x & y</a>", "1:6", "an '&' that doesn't begin a reference"),
    ("<a b='x & y'/>", "1:9", "an '&' that doesn't begin a reference"),
    ("<a b='&nbsp;'/>", "1:13", "a reference to an entity that isn't defined"),
    ("<a b='&#xD800;'/>", "1:15", "a reference to a character that doesn't exist"),
    ("<a b='&#99999999999;'/>", "1:21", "a reference to a character that doesn't exist"),
    ("<a b='&#1;'/>", "1:11", "a reference to a character that XML forbids"),
    ("<a b='\u{1}'/>", "1:7", "a character that XML forbids"),
    ("<a>\n\u{FFFE}</a>", "2:1", "a character that XML forbids"),
    ("<?xml encoding='UTF-8'?><a/>", "1:1", "the XML declaration has no version"),
    ("<?xml version='1.1'?><a/>", "1:7", "the XML declaration's version can't be '1.1'"),
    ("<?xml version='1.0' new='1'?><a/>", "1:21", "the XML declaration contains 'new'"),
    (
      "<?xml version='1.0' standalone='maybe'?><a/>", "1:21",
      "the XML declaration's standalone can't be 'maybe'"
    ),
  ])
  func whatIsNotXMLIsRefused(xml: String, place: String, reason: String) {
    let error = #expect(throws: ModelSourceError.self) {
      try SourceDocument(data: Data(xml.utf8), path: "c")
    }
    #expect(error?.description == "c:\(place): error: \(Self.prefix)\(reason)")
  }

  @Test(arguments: [
    ("<1/>", "1:2: error: a character that can't begin a tag's name"),
    ("< a/>", "1:2: error: a character that can't begin a tag's name"),
    ("<a -b='1'/>", "1:4: error: a character that can't begin an attribute's name"),
    ("<a></a", "1:4: error: the file ends inside a tag"),
    (
      "<a:b/>",
      "1:2: error: a name with a colon; namespaces aren't supported, and models don't use them"
    ),
    ("<a>\n  <![CDATA[x", "2:3: error: the file ends inside a CDATA section"),
  ])
  func whatIsNotReadIsRefused(xml: String, error text: String) {
    let error = #expect(throws: ModelSourceError.self) {
      try SourceDocument(data: Data(xml.utf8), path: "c")
    }
    #expect(error?.description == "c:\(text)")
  }

  @Test func badBytesHaveAPlace() {
    let error = #expect(throws: ModelSourceError.self) {
      try SourceDocument(
        data: Data("<a>\n é".utf8) + [0xC3, 0x28] + Data("</a>".utf8), path: "c")
    }
    #expect(error?.description == "c:2:4: error: bytes that aren't UTF-8")
  }

  @Test func textIsThatOfAnyParser() throws {
    let xml = """
      <?xml version='1.0' standalone="no" ?>
      <!-- first --><!-- second -->
      <model><a> one &amp; <!-- <?in?> it -->two<![CDATA[ <three> & ]]></a>
      <b>\r\n\t</b><c>x\r\ny\rz&#13;</c >
      <w>&#9;one<b/> <b/>two </w><d
      e = "1"
      f='"'/><Größe/><!-- last --></model><!-- gone -->

      """
    let root = try SourceDocument(data: Data(xml.utf8), path: "c").root
    #expect(root.comments == [" first ", " second "])
    #expect(root.innerComments == [" last "])
    #expect(root.children.map(\.name) == ["a", "b", "c", "w", "d", "Größe"])
    #expect(
      root.children.map(\.text)
        == [" one & two <three> & ", "", "x\ny\nz\r", "\tone two ", "", ""])
    #expect(root.children[0].innerComments == [" <?in?> it "])
    #expect(root.children[4]["e"] == "1" && root.children[4]["f"] == "\"")
  }

  /// References and line endings take time proportional to their number.
  @Test(.timeLimit(.minutes(1))) func manyReferencesAreRead() throws {
    let value = String(repeating: "&#10;\r\n&lt;", count: 300_000)
    let xml = "<model name=\"\(value)\">\(value)</model>"
    let root = try SourceDocument(data: Data(xml.utf8), path: "c").root
    #expect(root["name"]?.utf8.count == 900_000)
    #expect(root.text.utf8.count == 900_000)
  }
}
