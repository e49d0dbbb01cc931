import TestSupport
import Testing

@testable import PropertyLists

/// Which classes are decoded, and by which names.
@Suite struct AllowListTests {
  private class Shape: ArchiveCodable {
    class var archiveClass: ArchiveClass { ArchiveClass("Shape", "NSObject") }
    var side = 0

    required init() {}

    func decode(from object: ArchiveObjectDecoder) throws {
      side = try object.integer(forKey: "side") ?? 0
    }

    func encode(into object: inout ArchiveObjectEncoder) { object.encode(side, forKey: "side") }
  }

  private final class Square: Shape {
    override class var archiveClass: ArchiveClass { ArchiveClass("Square", "Shape", "NSObject") }
  }

  private static func bytes() throws -> [UInt8] {
    let square = Square()
    square.side = 3
    return try ArchiveEncoder().encode(square)
  }

  @Test func theChainIsWritten() throws {
    let archive = try KeyedArchive(Self.bytes())
    let type = try #require(archive.archivedClass(ofObject: 1))
    #expect(type.chain == ["Square", "Shape", "NSObject"])
    #expect(type.isKind(of: "Shape") && type.isKind(of: "NSObject") && !type.isKind(of: "Circle"))
    #expect(type.description == "Square < Shape < NSObject")
  }

  @Test func theNearestAllowedClassIsMade() throws {
    let both = ArchiveDecoder(allowing: [Shape.self, Square.self])
    #expect(try both.decode(Shape.self, from: Self.bytes()) is Square)
    let base = try ArchiveDecoder(allowing: [Shape.self]).decode(Shape.self, from: Self.bytes())
    #expect(!(base is Square))
    #expect(base.side == 3)
  }

  @Test func aNameOfOldMayStandForAClass() throws {
    var archive = try EditableArchive(Self.bytes())
    let type = try #require(archive.objects.indices.first { archive[$0, "$classname"] != nil })
    archive[type, "$classname"] = .string("OldSquare")
    archive[type, "$classes"] = .array([.string("OldSquare"), .string("NSObject")])
    let refused = #expect(throws: ArchiveError.self) {
      try ArchiveDecoder(allowing: [Square.self]).decode(Square.self, from: archive.bytes)
    }
    #expect(refused?.code == .classNotAllowed)
    let decoder = ArchiveDecoder(allowing: [], aliases: ["OldSquare": Square.self])
    #expect(try decoder.decode(Square.self, from: archive.bytes).side == 3)
  }

  @Test func anotherClassThanAskedForIsAnError() throws {
    let bytes = try ArchiveEncoder().encode(Node("a"))
    let error = #expect(throws: ArchiveError.self) {
      try ArchiveDecoder(allowing: [Node.self, Square.self]).decode(Square.self, from: bytes)
    }
    #expect(error?.code == .typeMismatch)
    #expect(error?.message == "expected Square, found Node")
    #expect(error?.object == 1)
  }

  @Test func aClassDeepInsideIsRefusedToo() throws {
    let holder = Holder()
    holder.node = Node("a")
    let bytes = try ArchiveEncoder().encode(holder)
    let error = #expect(throws: ArchiveError.self) {
      try ArchiveDecoder(allowing: [Holder.self]).decode(Holder.self, from: bytes)
    }
    #expect(error?.code == .classNotAllowed)
    #expect(error?.object == 2)
    #expect(error?.message == "its class Node is not among those that may be decoded")
  }

  @Test func theRootMayBeNoInstance() throws {
    for target in [1, 2] {
      var archive = EditableArchive()
      _ = archive.add(.string("text"))
      _ = archive.addClass("Node", "NSObject")
      archive.top = [ArchiveField("root", .reference(target))]
      let error = #expect(throws: ArchiveError.self) {
        try ArchiveDecoder(allowing: [Node.self]).decode(Node.self, from: archive.bytes)
      }
      #expect(error?.code == .typeMismatch)
      #expect(error?.object == target)
    }
  }

  // MARK: Chains as files have them

  @Test(arguments: [
    (["A", "B", "NSObject"], ["A", "B", "NSObject"]), (["B", "NSObject"], ["A", "B", "NSObject"]),
    ([], ["A"]),
  ])
  func aChainBeginsWithTheClassesName(written: [String], read: [String]) throws {
    var archive = EditableArchive()
    let number = archive.addInstance(of: 2)
    _ = archive.add(
      .dictionary([
        ArchiveField("$classname", .string("A")),
        ArchiveField("$classes", .array(written.map { .string($0) })),
      ]))
    archive.top = [ArchiveField("root", .reference(number))]
    #expect(try KeyedArchive(archive.bytes).archivedClass(ofObject: 1)?.chain == read)
  }

  @Test func aClassWithoutAChainIsItself() throws {
    var archive = EditableArchive()
    let number = archive.addInstance(of: 2)
    _ = archive.add(.dictionary([ArchiveField("$classname", .string("A"))]))
    archive.top = [ArchiveField("root", .reference(number))]
    #expect(try KeyedArchive(archive.bytes).archivedClass(ofObject: 1)?.chain == ["A"])
  }
}
