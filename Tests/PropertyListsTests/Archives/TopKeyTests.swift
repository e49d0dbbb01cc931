import TestSupport
import Testing

@testable import PropertyLists

/// Objects archived under a program's own names.
@Suite struct TopKeyTests {
  @Test func severalObjectsAreArchivedByName() throws {
    let (first, second) = (Node("a"), Node("b"))
    first.next = second
    let bytes = try ArchiveEncoder().encode([("settings", first), ("state", second)])
    let archive = try KeyedArchive(bytes)
    #expect(Set(archive.top.map(\.key)) == ["settings", "state"])
    #expect(archive.topReference("settings") == 1)
    #expect(archive.topReference("state") == 3)
    #expect(archive.topReference() == nil)
    // Nothing is duplicated: nil, two nodes, two strings, two arrays, two classes.
    #expect(archive.count == 9)
    let decoder = ArchiveDecoder(allowing: [Node.self])
    #expect(try decoder.decode(Node.self, from: bytes, forKey: "state").name == "b")
    #expect(try decoder.decode(Node.self, from: bytes, forKey: "settings").next?.name == "b")
    let error = #expect(throws: ArchiveError.self) {
      try decoder.decode(Node.self, from: bytes)
    }
    #expect(error?.code == .valueNotFound)
    #expect(error?.key == "root")
  }

  /// The keys of `$top` have the order of Foundation's hash tables, like those of any object.
  @Test func theOrderOfNamesIsFoundations() throws {
    let names = (0..<12).map { "key\($0)" }
    let bytes = try ArchiveEncoder().encode(names.map { ($0, Node($0)) })
    let order = CoreFoundationOrder.grown(names).map { names[$0] }
    #expect(try KeyedArchive(bytes).top.map(\.key) == order)
    #expect(order != names)
  }

  /// An archiver may be told to store values in `$top` directly.
  @Test func plainValuesUnderNamesAreRead() throws {
    var archive = EditableArchive()
    archive.top = [
      ArchiveField("isOn", .boolean(true)), ArchiveField("count", .integer(-3, width: 8)),
      ArchiveField("ratio", .double(0.5)), ArchiveField("root", .reference(0)),
      ArchiveField("bytes", .data([1, 2])),
    ]
    let read = try KeyedArchive(archive.bytes)
    #expect(read.top == archive.top)
    #expect(read.topReference("isOn") == nil)
    #expect(read.topReference() == 0)
    let error = #expect(throws: ArchiveError.self) {
      try ArchiveDecoder(allowing: [Node.self]).decode(Node.self, from: read)
    }
    #expect(error?.code == .valueNotFound)
  }

  @Test func anArchiveInXMLIsTheSame() throws {
    let node = Node("é <&>")
    node.friends = [Node("b")]
    let bytes = try ArchiveEncoder().encode([("mine", node)])
    let xml = try EditableArchive(bytes).xml
    let copy = try ArchiveDecoder(allowing: [Node.self])
      .decode(Node.self, from: Array(xml.utf8), forKey: "mine")
    #expect(copy.name == "é <&>")
    #expect(copy.friends.map(\.name) == ["b"])
  }
}
