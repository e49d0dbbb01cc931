import Testing

@testable import PropertyLists

final class Node: ArchiveCodable {
  static let archiveClass = ArchiveClass("Node", "NSObject")
  var name = ""
  var next: Node?
  var friends: [Node] = []
  weak var owner: Node?

  init() {}
  init(_ name: String) { self.name = name }

  func decode(from object: ArchiveObjectDecoder) throws {
    name = try object.string(forKey: "name") ?? ""
    next = try object.object(forKey: "next")
    friends = try object.objects(forKey: "friends") ?? []
    owner = try object.object(forKey: "owner")
  }

  func encode(into object: inout ArchiveObjectEncoder) {
    object.encode(name, forKey: "name")
    object.encode(next, forKey: "next")
    object.encode(friends, forKey: "friends")
    object.encodeConditional(owner, forKey: "owner")
  }

  /// Releases a chain link by link, to avoid deep recursion.
  func unlink() {
    var last: Node? = self
    while let node = last {
      last = node.next
      node.next = nil
    }
  }
}

@Suite struct CodingTests {
  @Test func cyclesAndSharingSurvive() throws {
    let a = Node("a"), b = Node("b")
    a.next = b
    b.next = a
    a.friends = [b, b]
    b.owner = a
    let bytes = try ArchiveEncoder().encode(a)
    let copy = try ArchiveDecoder(allowing: [Node.self]).decode(Node.self, from: bytes)
    #expect(copy.next?.next === copy)
    #expect(copy.friends.map(\.name) == ["b", "b"])
    #expect(copy.friends[0] === copy.next && copy.friends[1] === copy.next)
    #expect(copy.next?.owner === copy)
    a.next = nil
    copy.next = nil
  }

  @Test func aChainOf100000ObjectsNeedsNoStack() throws {
    let first = Node("0")
    var last = first
    for index in 1..<100_000 {
      let node = Node(String(index))
      last.next = node
      last = node
    }
    let bytes = try ArchiveEncoder().encode(first)
    first.unlink()
    let copy = try ArchiveDecoder(allowing: [Node.self]).decode(Node.self, from: bytes)
    var count = 0
    var node: Node? = copy
    while let this = node {
      count += 1
      node = this.next
    }
    #expect(count == 100_000)
    copy.unlink()
  }

  @Test func otherClassesAreRefused() throws {
    final class Other: ArchiveDecodable {
      static let archiveClass = ArchiveClass("Other", "NSObject")
      func decode(from object: ArchiveObjectDecoder) {}
    }
    let bytes = try ArchiveEncoder().encode(Node("a"))
    #expect {
      _ = try ArchiveDecoder(allowing: [Other.self]).decode(Other.self, from: bytes)
    } throws: { error in
      (error as? ArchiveError)?.code == .classNotAllowed
        && "\(error)" == "object 1: its class Node is not among those that may be decoded"
    }
  }
}

@Suite struct CoreFoundationOrderTests {
  @Test(
    arguments: [
      ("a", 0x0000_0000_0000_0426), ("NSEntities", 0xbfeb_5bc0_347c_6ff0),
      ("$class", 0x000f_9926_4d35_af40), ("NSAttributeValueClassName", 0x1be4_3cc1_df9b_88e2),
    ] as [(String, UInt64)])
  func hash(text: String, expected: UInt64) {
    #expect(CoreFoundationOrder.hash(text) == expected)
  }

  @Test func aModelsKeys() {
    let keys = [
      "NSEntities", "NSFetchRequestTemplates", "NSVersionIdentifiers", "CDMCompilerToolVersion",
      "CDMCompilerXcodeVersion", "$class",
    ]
    #expect(
      CoreFoundationOrder.grown(keys).map { keys[$0] } == [
        "NSEntities", "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
        "NSFetchRequestTemplates", "NSVersionIdentifiers", "$class",
      ])
  }
}
