import TestSupport
import Testing

@testable import PropertyLists

/// Objects are numbered as by NSKeyedArchiver: at the first reference, with the objects referred to by one field
/// before the next field, and the class after the fields.
@Suite struct NumberingTests {
  /// Summarizes the objects: classes in brackets, strings in quotes, instances as their class and references.
  private func outline(_ bytes: [UInt8]) throws -> [String] {
    let archive = try KeyedArchive(bytes)
    return (0..<archive.count).map { number in
      switch archive.object(at: number) {
      case .null: "nil"
      case .value(.string(let text)): "\"\(text)\""
      case .value(let value): "\(value)"
      case .classDescription(let type): "[\(type)]"
      case .instance(let type, let fields):
        type.name + " "
          + fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.short($0.value))" }
          .joined(separator: " ")
      }
    }
  }

  private static func short(_ value: ArchiveValue) -> String {
    switch value {
    case .reference(let number): "#\(number)"
    case .array(let members): "(" + members.map(short).joined(separator: ",") + ")"
    default: "\(value)"
    }
  }

  @Test func objectsAreNumberedAtTheFirstReference() throws {
    let (a, b) = (Node("a"), Node("b"))
    a.next = b
    b.next = a
    a.friends = [b, b]
    b.owner = a
    defer { a.unlink() }
    #expect(
      try outline(ArchiveEncoder().encode(a)) == [
        "nil", "Node friends=#8 name=#2 next=#3 owner=#0", "\"a\"",
        "Node friends=#5 name=#4 next=#1 owner=#1", "\"b\"", "NSArray NS.objects=()",
        "[NSArray < NSObject]", "[Node < NSObject]", "NSArray NS.objects=(#3,#3)",
      ])
  }

  @Test func equalTextsAndNumbersAreOneObject() throws {
    let (a, b) = (Node("same text, and a long one"), Node("same text, and a long one"))
    a.next = b
    let outline = try outline(ArchiveEncoder().encode(a))
    #expect(outline.filter { $0.hasPrefix("\"same") }.count == 1)
    #expect(outline.filter { $0 == "[Node < NSObject]" }.count == 1)
  }

  @Test func textsAreToldApartByTheirUnits() throws {
    // Equal in Swift, and different in Foundation.
    let (a, b) = (Node("e\u{301}"), Node("\u{E9}"))
    a.next = b
    let copy = try ArchiveDecoder(allowing: [Node.self])
      .decode(Node.self, from: ArchiveEncoder().encode(a))
    #expect(Array(copy.name.unicodeScalars) == Array("e\u{301}".unicodeScalars))
    #expect(copy.next.map { Array($0.name.unicodeScalars) } == Array("\u{E9}".unicodeScalars))
  }

  // MARK: Conditional references

  @Test func aConditionalReferenceIsToTheObjectEncodedElsewhere() throws {
    let (a, b) = (Node("a"), Node("b"))
    // The conditional reference comes first: it determines the number, and the contents follow later.
    let holder = Holder()
    holder.owner = b
    holder.node = b
    holder.other = a
    a.owner = b
    #expect(
      try outline(ArchiveEncoder().encode(holder)) == [
        "nil", "Holder node=#2 other=#7 owner=#2", "Node friends=#4 name=#3 next=#0 owner=#0",
        "\"b\"", "NSArray NS.objects=()", "[NSArray < NSObject]", "[Node < NSObject]",
        "Node friends=#9 name=#8 next=#0 owner=#2", "\"a\"", "NSArray NS.objects=()",
        "[Holder < NSObject]",
      ])
    let copy = try ArchiveDecoder(allowing: [Node.self, Holder.self])
      .decode(Holder.self, from: ArchiveEncoder().encode(holder))
    #expect(copy.owner === copy.node)
    #expect(copy.other?.owner === copy.node)
  }

  @Test func whatHasConditionalReferencesOnlyIsNil() throws {
    let (a, b) = (Node("a"), Node("b"))
    let holder = Holder()
    holder.owner = b
    holder.other = a
    a.owner = b
    let bytes = try ArchiveEncoder().encode(holder)
    let archive = try KeyedArchive(bytes)
    #expect(archive.object(at: 2) == .null)
    let editable = try EditableArchive(bytes)
    #expect(editable.instances(of: "Node").count == 1)
    for form in [bytes, Array(editable.xml.utf8)] {
      let copy = try ArchiveDecoder(allowing: [Node.self, Holder.self])
        .decode(Holder.self, from: form)
      #expect(copy.owner == nil)
      #expect(copy.other?.name == "a")
      #expect(copy.other?.owner == nil)
    }
    #expect(try archive.foundationValue(ofObject: 2) == nil)
  }

  @Test func theTextOfNilIsText() throws {
    let node = Node("$null")
    let copy = try ArchiveDecoder(allowing: [Node.self])
      .decode(Node.self, from: ArchiveEncoder().encode(node))
    #expect(copy.name == "$null")
  }
}

/// An object with references of both kinds.
final class Holder: ArchiveCodable {
  static let archiveClass = ArchiveClass("Holder", "NSObject")
  var node: Node?
  var other: Node?
  var owner: Node?

  func decode(from object: ArchiveObjectDecoder) throws {
    owner = try object.object(forKey: "owner")
    node = try object.object(forKey: "node")
    other = try object.object(forKey: "other")
  }

  func encode(into object: inout ArchiveObjectEncoder) {
    object.encodeConditional(owner, forKey: "owner")
    object.encode(node, forKey: "node")
    object.encode(other, forKey: "other")
  }
}
