import TestSupport
import Testing

@testable import PropertyLists

/// The fields of an object, by type: present, missing, or of another type.
@Suite(.serialized) struct FieldTests {
  /// Runs a closure to decode an object with one field `key`.
  private final class Probe: ArchiveDecodable {
    static let archiveClass = ArchiveClass("Probe", "NSObject")
    nonisolated(unsafe) static var body: (ArchiveObjectDecoder) throws -> Void = { _ in }

    func decode(from object: ArchiveObjectDecoder) throws { try Self.body(object) }
  }

  private static func decode(
    _ value: ArchiveValue?, _ body: @escaping (ArchiveObjectDecoder) throws -> Void
  ) throws {
    var archive = EditableArchive()
    let type = archive.addClass("Probe", "NSObject")
    let number = archive.addInstance(of: type, value.map { [ArchiveField("key", $0)] } ?? [])
    _ = archive.add(.string("text"))
    _ = archive.add(.integer(5, width: 1))
    archive.top = [ArchiveField("root", .reference(number))]
    Probe.body = body
    _ = try ArchiveDecoder(allowing: [Probe.self]).decode(Probe.self, from: archive.bytes)
  }

  @Test func fieldsAreReadByType() throws {
    try Self.decode(.boolean(true)) { object throws in
      #expect(try object.boolean(forKey: "key") == true)
    }
    try Self.decode(.integer(-5, width: 8)) { object throws in
      #expect(try object.integer(forKey: "key") == -5)
    }
    try Self.decode(.integer(5, width: 16)) { object throws in
      #expect(try object.integer(forKey: "key") == 5)
    }
    try Self.decode(.integer(5, width: 1)) { object throws in
      #expect(try object.double(forKey: "key") == 5)
    }
    try Self.decode(.float(0.5)) { object throws in #expect(try object.double(forKey: "key") == 0.5)
    }
    try Self.decode(.double(0.25)) { object throws in
      #expect(try object.double(forKey: "key") == 0.25)
    }
    try Self.decode(.data([1, 2])) { object throws in
      #expect(try object.bytes(forKey: "key") == [1, 2])
    }
    try Self.decode(.reference(3)) { object throws in
      #expect(try object.string(forKey: "key") == "text")
    }
    try Self.decode(.reference(4)) { object throws in
      #expect(try object.foundationValue(forKey: "key") == .integer(5))
    }
    try Self.decode(.reference(2)) { object throws in
      #expect(try object.object(Probe.self, forKey: "key") != nil)
    }
  }

  @Test func missingAndNilAreNil() throws {
    try Self.decode(nil) { object throws in
      #expect(!object.contains("key"))
      #expect(object.keys == [])
      #expect(try object.boolean(forKey: "key") == nil)
      #expect(try object.integer(forKey: "key") == nil)
      #expect(try object.double(forKey: "key") == nil)
      #expect(try object.bytes(forKey: "key") == nil)
    }
    for value in [nil, ArchiveValue.reference(0)] {
      try Self.decode(value) { object throws in
        #expect(object.contains("key") == (value != nil))
        #expect(try object.string(forKey: "key") == nil)
        #expect(try object.foundationValue(forKey: "key") == nil)
        #expect(try object.object(Probe.self, forKey: "key") == nil)
        #expect(try object.objects(Probe.self, forKey: "key") == nil)
      }
    }
  }

  @Test func anotherTypeIsAnErrorThatNamesObjectAndKey() throws {
    let reads: [(ArchiveValue, String, (ArchiveObjectDecoder) throws -> Void)] = [
      (.integer(1, width: 1), "a boolean", { _ = try $0.boolean(forKey: "key") }),
      (.boolean(true), "an integer", { _ = try $0.integer(forKey: "key") }),
      (.double(1), "an integer", { _ = try $0.integer(forKey: "key") }),
      (.integer(Int128(1) << 64, width: 16), "an integer", { _ = try $0.integer(forKey: "key") }),
      (.boolean(true), "a number", { _ = try $0.double(forKey: "key") }),
      (.string("x"), "data", { _ = try $0.bytes(forKey: "key") }),
      (.string("x"), "a reference", { _ = try $0.string(forKey: "key") }),
      (.reference(4), "text", { _ = try $0.string(forKey: "key") }),
      (.integer(1, width: 1), "a reference", { _ = try $0.object(Probe.self, forKey: "key") }),
      (.reference(3), "an array", { _ = try $0.objects(Probe.self, forKey: "key") }),
    ]
    for (value, expected, read) in reads {
      let error = #expect(throws: ArchiveError.self) { try Self.decode(value, read) }
      #expect(error?.code == .typeMismatch)
      #expect(error?.message == "expected \(expected)")
      #expect(error?.object == 2)
      #expect(error?.key == "key")
    }
  }

  // MARK: Foundation's plain classes

  private final class Box: ArchiveCodable {
    static let archiveClass = ArchiveClass("Box", "NSObject")
    var value: ArchiveFoundationValue?

    init() {}
    init(_ value: ArchiveFoundationValue) { self.value = value }

    func decode(from object: ArchiveObjectDecoder) throws {
      value = try object.foundationValue(forKey: "value")
    }

    func encode(into object: inout ArchiveObjectEncoder) {
      if let value { object.encode(value, forKey: "value") }
    }
  }

  @Test(
    arguments: [
      .null, .string(""), .string("naïve 🙂"), .boolean(true), .boolean(false), .integer(0),
      .integer(.min), .integer(.max), .double(0.1), .double(-.infinity), .date(-1e9),
      .data([]), .data([1, 2, 3]), .uuid(Array(0..<16)),
      .url("https://example.com", base: nil), .url("page", base: "https://example.com/"),
      .array([]), .array([.string("a"), .array([.integer(1)]), .null]),
      .set([.string("a"), .string("b")]),
      .dictionary([.init("b", .integer(1)), .init("a", .dictionary([]))]),
    ] as [ArchiveFoundationValue])
  func valuesSurvive(value: ArchiveFoundationValue) throws {
    let bytes = try ArchiveEncoder().encode(Box(value))
    let copy = try ArchiveDecoder(allowing: [Box.self]).decode(Box.self, from: bytes)
    #expect(copy.value == value)
    // The same value gives the same bytes.
    #expect(try ArchiveEncoder().encode(copy) == bytes)
  }

  @Test func notANumberIsKept() throws {
    let bytes = try ArchiveEncoder().encode(Box(.array([.double(.nan), .date(.nan)])))
    let copy = try ArchiveDecoder(allowing: [Box.self]).decode(Box.self, from: bytes)
    guard case .array(let members) = copy.value, members.count == 2,
      case .double(let number) = members[0], case .date(let seconds) = members[1]
    else {
      Issue.record("the array is another: \(String(describing: copy.value))")
      return
    }
    #expect(number.isNaN && seconds.isNaN)
  }

  /// Variations of classes found in files: mutable ones, and values in separate objects.
  @Test func otherClassesOfTheSameKindAreRead() throws {
    func value(
      _ chain: [String], _ fields: [ArchiveField], _ others: ArchiveValue...
    ) throws -> ArchiveFoundationValue? {
      var archive = EditableArchive()
      let type = archive.add(
        .dictionary([
          ArchiveField("$classname", .string(chain[0])),
          ArchiveField("$classes", .array(chain.map { .string($0) })),
        ]))
      let number = archive.addInstance(of: type, fields)
      for other in others { _ = archive.add(other) }
      return try KeyedArchive(archive.bytes).foundationValue(ofObject: number)
    }
    let text = ArchiveValue.string("t")
    #expect(
      try value(
        ["NSMutableArray", "NSArray"], [ArchiveField("NS.objects", .array([.reference(3)]))], text)
        == .array([.string("t")]))
    #expect(
      try value(["NSMutableString", "NSString"], [ArchiveField("NS.string", .string("t"))])
        == .string("t"))
    #expect(
      try value(["NSMutableString", "NSString"], [ArchiveField("NS.string", .reference(3))], text)
        == .string("t"))
    #expect(
      try value(["NSMutableData", "NSData"], [ArchiveField("NS.data", .data([7]))]) == .data([7]))
    #expect(
      try value(["NSMutableData", "NSData"], [ArchiveField("NS.data", .reference(3))], .data([7]))
        == .data([7]))
    #expect(try value(["NSDate"], [ArchiveField("NS.time", .integer(3, width: 1))]) == .date(3))
    #expect(
      try value(
        ["NSMutableOrderedSet", "NSOrderedSet"],
        [ArchiveField("NS.objects", .array([.reference(0)]))]) == .orderedSet([.null]))
    #expect(
      try value(
        ["NSOrderedSet"],
        [ArchiveField("NS.object.1", .reference(3)), ArchiveField("NS.object.0", .reference(0))],
        text) == .orderedSet([.null, .string("t")]))
    for (chain, fields, code) in [
      (["NSUUID"], [ArchiveField("NS.uuidbytes", .data([1]))], ArchiveError.Code.classNotAllowed),
      (["NSURL"], [], .classNotAllowed), (["NSString"], [], .classNotAllowed),
      (["NSArray"], [], .valueNotFound),
      (["NSArray"], [ArchiveField("NS.objects", .array([.boolean(true)]))], .typeMismatch),
      (["NSOrderedSet"], [ArchiveField("NS.object.1", .reference(0))], .valueNotFound),
      (["NSOrderedSet"], [ArchiveField("NS.object.0", .boolean(true))], .typeMismatch),
      (["NSDictionary"], [ArchiveField("NS.keys", .array([]))], .valueNotFound),
      (
        ["NSDictionary"],
        [
          ArchiveField("NS.keys", .array([])), ArchiveField("NS.objects", .array([.reference(0)])),
        ], .malformedArchive
      ), (["Unknown"], [], .classNotAllowed),
    ] as [([String], [ArchiveField], ArchiveError.Code)] {
      let error = #expect(throws: ArchiveError.self) { try value(chain, fields) }
      #expect(error?.code == code, "\(chain): \(String(describing: error))")
      #expect(error?.object == 2)
    }
  }
}
