import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// Documents that are rejected quickly, with the location of the error.
@Suite struct HostileXMLTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var xml: String
    /// The complete error.
    var error: String
    var testDescription: String { name }

    init(_ name: String, _ xml: String, _ error: String) {
      self.name = name
      self.xml = xml
      self.error = error
    }
  }

  static let cases = [
    Case("nothing", "", "contents:1:1: error: the file is empty"),
    Case(
      "billion laughs",
      """
      <?xml version="1.0"?>
      <!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]>
      <model name="&lol2;"/>
      """,
      "contents:2:1: error: document types and entities aren't supported; models don't need them"),
    Case(
      "external entity",
      #"<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><model>&x;</model>"#,
      "contents:1:1: error: document types and entities aren't supported; models don't need them"),
    Case(
      "undefined entity", "<model>\n  &x;\n</model>",
      "contents:2:6: error: the file is not well-formed XML: a reference to an entity that isn't"
        + " defined"),
    Case(
      "UTF-16 by name", #"<?xml version="1.0" encoding="UTF-16"?><model/>"#,
      "contents:1:1: error: the encoding utf-16 isn't supported; convert the file to UTF-8"),
    Case(
      "Latin 1 by name", #"<?xml version="1.0" encoding="ISO-8859-1"?><model/>"#,
      "contents:1:1: error: the encoding iso-8859-1 isn't supported; convert the file to UTF-8"),
    Case(
      "an instruction in an end tag", "<model></mod<?x?>el>",
      "contents:1:13: error: '<?' inside the document"),
    Case(
      "a second declaration", "<model><?xml version='1.0'?></model>",
      "contents:1:8: error: the file is not well-formed XML: an XML declaration that isn't at the beginning of the"
        + " file"),
    Case(
      "an instruction without a name", "<model><? x?></model>",
      "contents:1:10: error: a character that can't begin a processing instruction's name"),
    Case(
      "an instruction without an end", "<model>\n<?x</model>",
      "contents:2:1: error: the file ends inside a processing instruction"),
    Case("ends in a tag", "<model\n name", "contents:2:2: error: an attribute without a value"),
    Case(
      "ends in a value", "<model\n name='x",
      "contents:2:2: error: the file ends inside an attribute's value"),
    Case(
      "ends in a comment", "<model>\n<!-- x", "contents:2:5: error: the file ends inside a comment"),
    Case(
      "no quotes", "<model name=x/>", "contents:1:8: error: an attribute's value without quotes"),
    Case(
      "a tag in a value", "<model name='<x>'/>",
      "contents:1:14: error: '<' in an attribute's value"),
    Case(
      "wrong end", "<model><entity></model></entity>",
      "contents:1:24: error: the file is not well-formed XML: an end tag doesn't match the open"
        + " element"),
    Case(
      "twice", "<model a='1' a='2'/>",
      "contents:1:19: error: the file is not well-formed XML: an attribute is given twice"),
    Case(
      "not closed", "<model>",
      "contents:1:8: error: the file is not well-formed XML: the file ends too early"),
    Case(
      "a NUL", "<model>    \0</model>",
      "contents:1:12: error: a NUL byte; the file is not XML in UTF-8"),
    Case(
      "another XML", "<plist/>",
      "contents:1:1: error: the outermost element is <plist>; a Core Data model's is <model>"),
  ]

  @Test(arguments: cases) func isRefused(_ test: Case) throws {
    let error = #expect(throws: ModelSourceError.self) {
      try SourceModel(data: Data(test.xml.utf8))
    }
    #expect(error?.description == test.error)
  }

  @Test func otherEncodingsAreRefused() throws {
    let text = #"<?xml version="1.0"?><model/>"#
    for encoding in [String.Encoding.utf32, .utf32BigEndian, .utf32LittleEndian] {
      let data = try #require(text.data(using: encoding))
      #expect(throws: ModelSourceError.self, "\(encoding)") { try SourceModel(data: data) }
    }
    for damaged in [[0xFF, 0xFE, 0x3C], [0xFE, 0xFF, 0xD8, 0x00], [0xFF, 0xFE]] as [[UInt8]] {
      #expect(throws: ModelSourceError.self) { try SourceModel(data: Data(damaged)) }
    }
    #expect(throws: ModelSourceError.self, "not UTF-8") {
      try SourceModel(data: Data("<model name='".utf8) + [0xC3, 0x28] + Data("'/>".utf8))
    }
  }

  @Test func aByteOrderMarkIsRead() throws {
    let document = try SourceDocument(
      data: Data([0xEF, 0xBB, 0xBF]) + Data("<model name='x'/>".utf8), path: "contents")
    #expect(document.root["name"] == "x")
    #expect(document.location(of: "name", in: document.root)?.column == 11)
  }

  @Test func deepNestingIsRefused() {
    let xml = String(repeating: "<model>", count: 100_000)
    let error = #expect(throws: ModelSourceError.self) { try SourceModel(data: Data(xml.utf8)) }
    #expect(error?.description == "contents:1:225: error: elements nested more than 32 deep")
  }

  @Test func aHugeAttributeIsRefused() {
    let xml = "<model name='" + String(repeating: "x", count: 20 << 20) + "'/>"
    let error = #expect(throws: ModelSourceError.self) { try SourceModel(data: Data(xml.utf8)) }
    #expect(error?.description == "contents:1:8: error: an attribute of more than 4194304 bytes")
  }

  @Test func limitsCanBeSet() {
    var options = SourceReadingOptions()
    options.limits.elements = 3
    let xml = "<model>" + String(repeating: "<elements/>", count: 3) + "</model>"
    #expect(throws: ModelSourceError.self) {
      try SourceModel(data: Data(xml.utf8), options: options)
    }
    options.limits.elements = 4
    #expect(throws: Never.self) { try SourceModel(data: Data(xml.utf8), options: options) }
    options.limits.documentBytes = 10
    #expect(throws: ModelSourceError.self) {
      try SourceModel(data: Data(xml.utf8), options: options)
    }
  }

  @Test func aDocumentOverTenMegabytesIsRead() throws {
    let entity = "<entity name='E'><userInfo><entry key='k' value='v'/></userInfo></entity>\n"
    let count = 12_000_000 / entity.utf8.count
    let xml = "<model>" + String(repeating: entity, count: count) + "</model>"
    let document = try SourceDocument(data: Data(xml.utf8), path: "contents")
    #expect(document.root.children.count == count)
    #expect(document.root.children.last.flatMap(document.location(of:))?.line == count)
  }

  @Test func everyTruncationIsRefused() throws {
    let xml = Array(
      """
      <?xml version="1.0" encoding="UTF-8"?><model a="&lt;é"><!-- c --><entity name='E'/></model>
      """.utf8)
    for count in 0..<xml.count {
      #expect(throws: ModelSourceError.self, "\(count) bytes") {
        try SourceDocument(data: Data(xml.prefix(count)), path: "contents")
      }
    }
  }
}
