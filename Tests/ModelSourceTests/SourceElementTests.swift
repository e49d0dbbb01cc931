import Foundation
import Testing

@testable import ModelSource

/// Elements of a document: their attributes, and that each has its own content.
@Suite struct SourceElementTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), (" spaces ", " spaces "), ("it's", "it's"),
    ("a &amp; b", "a & b"), ("&lt;&gt;&quot;&apos;", "<>\"'"), ("&#233;&#x6728;", "é木"),
    ("Größe 木", "Größe 木"), ("tab\there", "tab here"), ("line\nfeed", "line feed"),
    ("both\r\nof them", "both of them"), ("&#10;&#x9;", "\n\t"),
  ])
  func valuesAreThoseOfAnyParser(text: String, value: String) throws {
    let xml = "<model><entity name=\"A\" note=\"\(text)\" last=\"z\"/></model>"
    let entity = try SourceDocument(data: Data(xml.utf8), path: "c").root.children[0]
    #expect(entity.attributes.map(\.name) == ["name", "note", "last"])
    #expect(entity.attributes.map(\.value) == ["A", value, "z"])
  }

  @Test func aCopyIsChangedAlone() throws {
    let child = SourceElement("attribute", [SourceAttribute("name", "a")])
    let original = SourceElement("entity", [SourceAttribute("name", "A")], children: [child])
    var copy = original
    #expect(copy == original && copy.hashValue == original.hashValue)
    copy["name"] = "B"
    copy.children[0]["name"] = "b"
    copy.children.append(child)
    copy.text = "text"
    copy.comments = ["one"]
    #expect(copy != original)
    #expect(original["name"] == "A" && original.children == [child])
    #expect(child["name"] == "a" && original.text.isEmpty && original.comments.isEmpty)
    #expect(copy["name"] == "B" && copy.children.map { $0["name"] } == ["b", "a"])
  }
}
