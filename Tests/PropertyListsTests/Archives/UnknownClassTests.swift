import TestSupport
import Testing

@testable import PropertyLists

/// Objects of unknown classes are read completely and rewritten unchanged.
@Suite struct UnknownClassTests {
  private static let fields = [
    ArchiveField("z", .boolean(false)), ArchiveField("a", .integer(Int128(1) << 100, width: 16)),
    ArchiveField("small", .integer(7, width: 4)), ArchiveField("negative", .integer(-7, width: 8)),
    ArchiveField("float", .float(0.5)), ArchiveField("double", .double(-0.0)),
    ArchiveField("date", .date(10.25)), ArchiveField("data", .data([0, 255])),
    ArchiveField("text", .string("naïve 🙂")), ArchiveField("nothing", .null),
    ArchiveField("nil", .reference(0)), ArchiveField("self", .reference(2)),
    ArchiveField("list", .array([.reference(2), .integer(1, width: 1), .array([])])),
    ArchiveField("set", .set([.string("x")])),
    ArchiveField("inline", .dictionary([ArchiveField("k", .reference(0))])),
    ArchiveField("", .string("an empty key")),
  ]

  private static func archive() -> EditableArchive {
    var archive = EditableArchive()
    let type = archive.addClass("FutureThing", "FutureBase", "NSObject")
    let number = archive.addInstance(of: type, fields)
    archive.top = [ArchiveField("root", .reference(number))]
    return archive
  }

  @Test func everyFieldIsThereInItsPlace() throws {
    let archive = try KeyedArchive(Self.archive().bytes)
    #expect(
      archive.object(at: 2)
        == .instance(
          ArchiveClass("FutureThing", "FutureBase", "NSObject"), fields: Self.fields))
  }

  @Test func theArchiveIsWrittenAgainToTheByte() throws {
    let bytes = Self.archive().bytes
    #expect(PropertyListGraph(try BinaryPropertyList(bytes)).binary() == bytes)
    let copy = try EditableArchive(bytes)
    #expect(copy.bytes == bytes)
  }

  @Test func theListingShowsIt() throws {
    let text = ArchiveTextListing(ArchiveGraph(try KeyedArchive(Self.archive().bytes))).text
    #expect(text.contains("#2  FutureThing < FutureBase < NSObject\n"))
    for field in Self.fields where !field.key.isEmpty {
      #expect(text.contains("    \(field.key) "))
    }
    #expect(text.contains("1267650600228229401496703205376"))
  }

  /// An instance without fields, and a dictionary that isn't an instance.
  @Test func emptyAndBareObjects() throws {
    var archive = EditableArchive()
    let type = archive.addClass("Empty")
    _ = archive.addInstance(of: type)
    _ = archive.add(.dictionary([ArchiveField("key", .boolean(true))]))
    _ = archive.add(.data([1]))
    let read = try KeyedArchive(archive.bytes)
    #expect(read.object(at: 1) == .classDescription(ArchiveClass("Empty")))
    #expect(read.object(at: 2) == .instance(ArchiveClass("Empty"), fields: []))
    #expect(
      read.object(at: 3) == .value(.dictionary([ArchiveField("key", .boolean(true))])))
    #expect(read.object(at: 4) == .value(.data([1])))
    #expect(read.archivedClass(ofObject: 3) == nil)
  }
}
