import Foundation
import Testing

@testable import PropertyLists

/// The text and JSON forms of archives and property lists.
struct ArchiveListingTests {
  private final class Node: ArchiveCodable {
    static let archiveClass = ArchiveClass("Node", "NSObject")
    var name = ""
    var next: Node?

    init() {}

    func decode(from object: ArchiveObjectDecoder) throws {}

    func encode(into object: inout ArchiveObjectEncoder) {
      object.encode(name, forKey: "name")
      object.encode(next, forKey: "next")
      object.encode(2.0, forKey: "weight")
      object.encodeBytes([0, 255], forKey: "bytes\n")
    }
  }

  /// An archive of two nodes that refer to each other.
  private func ring() throws -> ArchiveGraph {
    let first = Node()
    let second = Node()
    first.name = "a \"text\" that is longer than forty characters"
    first.next = second
    second.name = "\u{1B}[31m"
    second.next = first
    return ArchiveGraph(try KeyedArchive(ArchiveEncoder().encode(first)))
  }

  @Test func anArchiveIsListedInTheFilesOrder() throws {
    let start = "#2 \"a \\\"text\\\" that is longer than forty chara\"…"
    let lines = try ArchiveTextListing(ring()).text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "keyed archive by NSKeyedArchiver, version 100000")
    #expect(lines.contains("root  #1 Node"))
    #expect(lines.contains("#0  nil"))
    #expect(lines.contains("#1  Node < NSObject"))
    #expect(lines.contains("    name     \(start)"))
    #expect(lines.contains("    next     #3 Node"))
    #expect(lines.contains("    weight   2.0"))
    #expect(lines.contains("    bytes\\n  <00ff>"))
    #expect(lines.contains("#4  \"\\u{1B}[31m\""))
    #expect(lines.contains("#5  class Node < NSObject"))
  }

  @Test func theJSONFormKeepsReferencesAndKinds() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = String(decoding: try encoder.encode(ring()), as: UTF8.self)
    #expect(json.hasPrefix(#"{"archiver":"NSKeyedArchiver","kind":"keyedArchive","objects":[{"#))
    #expect(json.contains(#"{"id":0,"kind":"null"}"#))
    #expect(json.contains(#"{"key":"next","value":{"$ref":3}}"#))
    #expect(json.contains(#"{"key":"weight","value":{"$double":"2.0"}}"#))
    #expect(json.contains(#"{"key":"bytes\n","value":{"$data":"AP8="}}"#))
    #expect(json.contains(#"{"classes":["Node","NSObject"],"id":5,"kind":"class"}"#))
    #expect(
      json.hasSuffix(
        #""schemaVersion":1,"top":[{"key":"root","value":{"$ref":1}}],"version":100000}"#))
  }

  @Test func anyPropertyListIsListed() throws {
    var list = PropertyListGraph()
    let key = list.add(string: "key")
    let values = [
      list.add(integer: Int128(1) << 100, width: 16), list.add(boolean: true),
      list.add(float: 0.5), list.add(date: 1), list.add(set: [key]), list.addNull(),
    ]
    list.root = list.add(dictionary: [key], values: [list.add(array: values)])
    let graph = ArchiveGraph(try BinaryPropertyList(list.binary()))
    let text = ArchiveTextListing(graph).text
    #expect(text.hasPrefix("property list\nroot  #0\n\n#0  dictionary\n"))
    #expect(text.contains("  1267650600228229401496703205376\n"))
    #expect(text.contains("  set [#1 \"key\"]\n"))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = String(decoding: try encoder.encode(graph), as: UTF8.self)
    #expect(json.contains(#""value":{"$integer":"1267650600228229401496703205376"}"#))
    #expect(json.contains(#""value":{"$float":"0.5"}"#))
    #expect(json.contains(#""value":{"$set":[{"$ref":1}]}"#))
    #expect(json.contains(#""value":{"$null":true}"#))
  }
}
