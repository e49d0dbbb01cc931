import TestSupport
import Testing

@testable import PropertyLists

/// Limits on the work that an archive can cause, for graphs of any shape.
@Suite struct ArchiveLimitsTests {
  private func bytes(_ node: Node) throws -> [UInt8] { try ArchiveEncoder().encode(node) }

  private func refusal(_ bytes: [UInt8], _ limits: ArchiveLimits) -> ArchiveError? {
    #expect(throws: ArchiveError.self) {
      try ArchiveDecoder(allowing: [Node.self], limits: limits).decode(Node.self, from: bytes)
    }
  }

  @Test func bytesAreLimited() throws {
    let bytes = try bytes(Node("a"))
    let error = refusal(bytes, ArchiveLimits(byteCount: bytes.count - 1))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.hasPrefix("the file has \(bytes.count) bytes") == true)
    let decoder = ArchiveDecoder(
      allowing: [Node.self], limits: ArchiveLimits(byteCount: bytes.count))
    #expect(try decoder.decode(Node.self, from: bytes).name == "a")
  }

  @Test func objectsAreLimited() throws {
    let bytes = try bytes(Node("a"))
    let count = try KeyedArchive(bytes).count
    let error = refusal(bytes, ArchiveLimits(objectCount: count - 1))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "\(count) objects; at least 1 and at most \(count - 1) are read")
  }

  @Test func textIsLimited() throws {
    let node = Node(String(repeating: "é", count: 500))
    let error = refusal(try bytes(node), ArchiveLimits(stringByteCount: 999))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("999 bytes") == true)
    let decoder = ArchiveDecoder(
      allowing: [Node.self], limits: ArchiveLimits(stringByteCount: 10_000))
    #expect(try decoder.decode(Node.self, from: bytes(node)).name.count == 500)
  }

  /// A string used in many objects is created many times.
  @Test func oneTextUsedOftenCountsEachTime() throws {
    let first = Node("0")
    var last = first
    for _ in 1..<200 {
      let node = Node(String(repeating: "x", count: 1000))
      last.next = node
      last = node
    }
    defer { first.unlink() }
    let bytes = try bytes(first)
    #expect(bytes.count < 40_000)
    let error = refusal(bytes, ArchiveLimits(stringByteCount: 100_000))
    #expect(error?.code == .limitExceeded)
  }

  /// An array used in many objects: each would create all its members.
  @Test func oneCollectionUsedOftenCountsEachTime() throws {
    var archive = EditableArchive()
    let node = archive.addClass("Node", "NSObject")
    let array = archive.addClass("NSArray", "NSObject")
    let members = (0..<1000).map { _ in ArchiveValue.reference(archive.objects.count + 1) }
    let list = archive.addInstance(of: array, [ArchiveField("NS.objects", .array(members))])
    var previous = 0
    for _ in 0..<100 {
      previous = archive.addInstance(
        of: node,
        [ArchiveField("friends", .reference(list)), ArchiveField("next", .reference(previous))])
    }
    archive.top = [ArchiveField("root", .reference(previous))]
    let error = refusal(archive.bytes, ArchiveLimits(objectCount: 50_000))
    #expect(error?.code == .limitExceeded)
    #expect(error?.message == "objects hold the same collections too many times over")
  }

  // MARK: Values

  /// Returns arrays nested to the given depth.
  private func nested(_ depth: Int) -> [UInt8] {
    var archive = EditableArchive()
    let array = archive.addClass("NSArray", "NSObject")
    for level in 0..<depth {
      let next = level == depth - 1 ? 0 : archive.objects.count + 1
      _ = archive.addInstance(
        of: array, [ArchiveField("NS.objects", .array([.reference(next)]))])
    }
    archive.top = [ArchiveField("root", .reference(2))]
    return archive.bytes
  }

  @Test func valuesAreLimitedInDepth() throws {
    #expect(try KeyedArchive(nested(100)).foundationValue(ofObject: 2) != nil)
    for depth in [200, 100_000] {
      let archive = try KeyedArchive(nested(depth))
      let error = #expect(throws: ArchiveError.self) { try archive.foundationValue(ofObject: 2) }
      #expect(error?.code == .limitExceeded)
      #expect(error?.message == "collections nest more than 128 deep")
    }
    let shallow = try KeyedArchive(nested(5), limits: ArchiveLimits(depth: 4))
    #expect(throws: ArchiveError.self) { try shallow.foundationValue(ofObject: 2) }
  }

  @Test(arguments: [1, 2, 3]) func aCollectionThatHoldsItselfIsRefused(length: Int) throws {
    var archive = EditableArchive()
    let array = archive.addClass("NSArray", "NSObject")
    for place in 0..<length {
      _ = archive.addInstance(
        of: array, [ArchiveField("NS.objects", .array([.reference(2 + (place + 1) % length)]))])
    }
    archive.top = [ArchiveField("root", .reference(2))]
    let error = #expect(throws: ArchiveError.self) {
      try KeyedArchive(archive.bytes).foundationValue(ofObject: 2)
    }
    #expect(error?.code == .cycle)
    #expect(error?.message == "a collection contains itself")
    #expect(error?.object == 2)
  }

  /// Archivers store equal numbers once, and refer to them from every place.
  @Test(arguments: [5000, 200_000]) func oneNumberUsedOftenIsNotExpansion(count: Int) throws {
    var archive = EditableArchive()
    let array = archive.addClass("NSArray", "NSObject")
    let zero = ArchiveValue.reference(3)
    let list = archive.addInstance(
      of: array, [ArchiveField("NS.objects", .array(Array(repeating: zero, count: count)))])
    archive.objects.append(.integer(0, width: 1))
    archive.top = [ArchiveField("root", .reference(list))]
    let value = try KeyedArchive(archive.bytes).foundationValue(ofObject: list)
    #expect(value == .array(Array(repeating: .integer(0), count: count)))
  }

  /// Forty arrays, each of which contains the next one twice: 2⁴⁰ values.
  @Test(.timeLimit(.minutes(1))) func sharingIsNotExpanded() throws {
    var archive = EditableArchive()
    let array = archive.addClass("NSArray", "NSObject")
    for level in 0..<40 {
      let next = ArchiveValue.reference(level == 39 ? 0 : 3 + level)
      _ = archive.addInstance(of: array, [ArchiveField("NS.objects", .array([next, next]))])
    }
    archive.top = [ArchiveField("root", .reference(2))]
    let error = #expect(throws: ArchiveError.self) {
      try KeyedArchive(archive.bytes).foundationValue(ofObject: 2)
    }
    #expect(error?.code == .limitExceeded)
  }

  // MARK: Graphs

  @Test func anObjectMayReferToItself() throws {
    let node = Node("a")
    node.next = node
    defer { node.next = nil }
    let copy = try ArchiveDecoder(allowing: [Node.self])
      .decode(Node.self, from: bytes(node))
    #expect(copy.next === copy)
    copy.next = nil
  }

  @Test func aRingOf100000ObjectsNeedsNoStack() throws {
    let first = Node("0")
    var last = first
    for index in 1..<100_000 {
      let node = Node(String(index))
      last.next = node
      last = node
    }
    last.next = first
    let bytes = try bytes(first)
    first.unlink()
    #expect(try KeyedArchive(bytes).count == 300_003)
    let copy = try ArchiveDecoder(allowing: [Node.self]).decode(Node.self, from: bytes)
    var count = 1
    var node = copy.next
    while let this = node, this !== copy {
      count += 1
      node = this.next
    }
    #expect(count == 100_000)
    copy.unlink()
  }

  /// Every object is referred to by all later ones.
  @Test(.timeLimit(.minutes(1))) func manyReferencesToFewObjects() throws {
    let hub = Node("hub")
    let nodes = (0..<20_000).map { Node(String($0)) }
    for node in nodes { node.next = hub }
    let root = Node("root")
    root.friends = nodes
    let copy = try ArchiveDecoder(allowing: [Node.self]).decode(Node.self, from: bytes(root))
    #expect(copy.friends.count == 20_000)
    #expect(copy.friends.allSatisfy { $0.next === copy.friends[0].next })
  }
}
