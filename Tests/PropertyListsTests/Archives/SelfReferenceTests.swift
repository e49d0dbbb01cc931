import Testing

@testable import PropertyLists

@Suite("Objects that are references") struct SelfReferenceTests {
  /// An archive whose objects are only references to others, or to themselves.
  private func archive(references: [Int]) throws -> KeyedArchive {
    var graph = PropertyListGraph()
    let objects = [graph.add(string: "$null")] + references.map { graph.add(uid: $0) }
    let top = (key: graph.add(string: "root"), value: graph.add(uid: 1))
    let fields = [
      ("$version", graph.add(integer: 100_000)),
      ("$archiver", graph.add(string: "NSKeyedArchiver")),
      ("$top", graph.add(dictionary: [top.key], values: [top.value])),
      ("$objects", graph.add(array: objects)),
    ]
    let keys = fields.map { graph.add(string: $0.0) }
    graph.root = graph.add(dictionary: keys, values: fields.map(\.1))
    return try KeyedArchive(graph.binary())
  }

  @Test(arguments: [[1], [2, 1], [2, 3, 1]])
  func circlesAreListedByNumber(references: [Int]) throws {
    let text = ArchiveTextListing(ArchiveGraph(try archive(references: references))).text
    #expect(text.contains("#1"))
    #expect(text.utf8.count < 1000)
  }
}
