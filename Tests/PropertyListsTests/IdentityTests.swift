import TestSupport
import Testing

@testable import PropertyLists

/// Objects are distinguished by identity and written once each, as in Core Foundation.
@Suite struct IdentityTests {
  @Test func equalTextsMayBeOneObjectOrTwo() throws {
    var graph = PropertyListGraph()
    let one = graph.add(string: "same")
    let other = graph.add(string: "same")
    graph.root = graph.add(array: [one, one, other])
    let list = try BinaryPropertyList(graph.binary())
    #expect(list.value(at: 0) == .array([1, 1, 2]))
  }

  /// UIDs and Booleans are listed at each use; each use refers to the first equal one.
  @Test func booleansAndReferencesAreListedAtEachUse() throws {
    var graph = PropertyListGraph()
    let members = [
      graph.add(boolean: true), graph.add(uid: 3), graph.add(boolean: true), graph.add(uid: 3),
      graph.add(boolean: false),
    ]
    graph.root = graph.add(array: members)
    let list = try BinaryPropertyList(graph.binary())
    #expect(list.count == 6)
    #expect(list.value(at: 0) == .array([1, 2, 1, 2, 5]))
  }

  @Test func keysStandBeforeValues() throws {
    var graph = PropertyListGraph()
    let keys = [graph.add(string: "a"), graph.add(string: "b")]
    let values = [graph.add(array: [graph.add(integer: 1)]), graph.add(string: "x")]
    graph.root = graph.add(dictionary: keys, values: values)
    let list = try BinaryPropertyList(graph.binary())
    #expect(
      (0..<list.count).map { list.value(at: $0).kind } == [
        "dictionary", "string", "string", "array", "integer", "string",
      ])
  }

  @Test(
    "Real files come out as they went in", .enabled(if: Corpus.isPresent, Corpus.absence),
    arguments: ["mom", "modelcache-mom", "versioninfo", "cdm"])
  func rewriting(kind: String) throws {
    for file in Corpus.files(ofKind: kind) {
      let bytes = try FileBytes.read(file.url.path)
      guard BinaryPropertyList.hasMagic(bytes) else { continue }
      let list = try BinaryPropertyList(bytes)
      #expect(PropertyListGraph(list).binary().elementsEqual(bytes), "\(file.path)")
    }
  }
}
