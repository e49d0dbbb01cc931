import TestSupport
import Testing

@testable import PropertyLists

/// The structure around an archive's objects, and the errors if it is invalid.
@Suite struct EnvelopeTests {
  /// An archive with one object, for tests that modify it.
  private static func archive() -> EditableArchive {
    var archive = EditableArchive()
    let number = archive.addInstance(of: 2, [ArchiveField("name", .string("a"))])
    _ = archive.addClass("Node", "NSObject")
    archive.top = [ArchiveField("root", .reference(number))]
    return archive
  }

  /// Returns a property list with the given fields.
  private static func list(_ fields: [(String, (inout PropertyListGraph) -> Int)]) -> [UInt8] {
    var graph = PropertyListGraph()
    let keys = fields.map { graph.add(string: $0.0) }
    let values = fields.map { $0.1(&graph) }
    graph.root = graph.add(dictionary: keys, values: values)
    return graph.binary()
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var code: ArchiveError.Code
    var message: String
    var bytes: @Sendable () -> [UInt8]

    init(
      _ name: String, _ code: ArchiveError.Code, _ message: String,
      _ bytes: @escaping @Sendable () -> [UInt8]
    ) {
      testDescription = name
      self.code = code
      self.message = message
      self.bytes = bytes
    }

    /// A valid archive and a change that makes it invalid.
    init(
      _ name: String, _ code: ArchiveError.Code, _ message: String,
      change: @escaping @Sendable (inout EditableArchive) -> Void
    ) {
      self.init(name, code, message) {
        var archive = archive()
        change(&archive)
        return archive.bytes
      }
    }
  }

  static let faults = [
    Fault(
      "no property list", .malformedPropertyList,
      "not a binary property list: it does not begin with bplist00"
    ) { Array("nonsense".utf8) },
    Fault("empty", .malformedPropertyList, "not a binary property list") { [] },
    Fault(
      "an array", .notAnArchive, "not a keyed archive: the property list has no $objects and $top"
    ) {
      var graph = PropertyListGraph()
      graph.root = graph.add(array: [])
      return graph.binary()
    },
    Fault(
      "no $objects", .notAnArchive,
      "not a keyed archive: the property list has no $objects and $top"
    ) { list([("$top", { $0.add(dictionary: [], values: []) })]) },
    Fault(
      "no $top", .notAnArchive, "not a keyed archive: the property list has no $objects and $top"
    ) { list([("$objects", { $0.add(array: []) })]) },
    Fault("no $archiver", .notAnArchive, "not a keyed archive: $archiver is missing") {
      $0.archiver = nil
    },
    Fault("$archiver is a number", .notAnArchive, "not a keyed archive: $archiver is missing") {
      $0.archiver = .integer(1, width: 1)
    },
    Fault("no $version", .notAnArchive, "a keyed archive of another version than 100000") {
      $0.version = nil
    },
    Fault("another $version", .notAnArchive, "a keyed archive of another version than 100000") {
      $0.version = .integer(100_001, width: 4)
    },
    Fault("$version is text", .notAnArchive, "a keyed archive of another version than 100000") {
      $0.version = .string("100000")
    },
    Fault("$objects is a dictionary", .malformedArchive, "$objects is not an array") {
      list([
        ("$version", { $0.add(integer: 100_000) }),
        ("$archiver", { $0.add(string: "NSKeyedArchiver") }),
        ("$objects", { $0.add(dictionary: [], values: []) }),
        ("$top", { $0.add(dictionary: [], values: []) }),
      ])
    },
    Fault("$objects is a set", .malformedArchive, "$objects is not an array") {
      list([
        ("$version", { $0.add(integer: 100_000) }),
        ("$archiver", { $0.add(string: "NSKeyedArchiver") }), ("$objects", { $0.add(set: []) }),
        ("$top", { $0.add(dictionary: [], values: []) }),
      ])
    },
    Fault("$top is an array", .malformedArchive, "$top is not a dictionary") {
      list([
        ("$version", { $0.add(integer: 100_000) }),
        ("$archiver", { $0.add(string: "NSKeyedArchiver") }), ("$objects", { $0.add(array: []) }),
        ("$top", { $0.add(array: []) }),
      ])
    },
    Fault("no objects", .malformedArchive, "0 objects; at least 1") { $0.objects = [] },
    Fault("object 0 is another text", .malformedArchive, "object 0 is not $null") {
      $0.objects[0] = .string("null")
    },
    Fault("object 0 isn't text", .malformedArchive, "object 0 is not $null") {
      $0.objects[0] = .boolean(false)
    },
    Fault("a reference outside", .malformedArchive, "a reference to object 9 of 3") {
      $0[1, "next"] = .reference(9)
    },
    Fault("a reference in $top outside", .malformedArchive, "a reference to object 3 of 3") {
      $0.top = [ArchiveField("root", .reference(3))]
    },
    Fault(
      "a reference too large for a number", .malformedArchive,
      "a reference to object 18446744073709551615 of 3"
    ) { $0[1, "next"] = .reference(-1) },
    Fault(
      "a reference at the largest number", .malformedArchive,
      "a reference to object 9223372036854775807 of 3"
    ) { $0[1, "next"] = .reference(.max) },
    Fault(
      "a $version too large for a number", .notAnArchive,
      "a keyed archive of another version than 100000"
    ) { $0.version = .integer(Int128(1) << 100, width: 16) },
    Fault("a class that is text", .malformedArchive, "it is not a reference") {
      $0[1, "$class"] = .string("Node")
    },
    Fault("a class that is none", .malformedArchive, "object 1 does not describe a class") {
      $0[1, "$class"] = .reference(1)
    },
    Fault("a class that is nil", .malformedArchive, "object 0 does not describe a class") {
      $0[1, "$class"] = .reference(0)
    },
    Fault("a class name that isn't text", .malformedArchive, "object 2 does not describe a class") {
      $0[2, "$classname"] = .integer(1, width: 1)
    },
    Fault("a chain that isn't an array", .malformedArchive, "object 2 does not describe a class") {
      $0[2, "$classes"] = .string("Node")
    },
    Fault("a chain of numbers", .malformedArchive, "object 2 does not describe a class") {
      $0[2, "$classes"] = .array([.integer(1, width: 1)])
    },
  ]

  @Test(arguments: faults) func aFaultIsNamed(fault: Fault) {
    let error = #expect(throws: ArchiveError.self) { try KeyedArchive(fault.bytes()) }
    #expect(error?.code == fault.code)
    #expect(error?.message.hasPrefix(fault.message) == true, "\(error?.message ?? "")")
  }

  @Test func theUnchangedArchiveIsSound() throws {
    let archive = try KeyedArchive(Self.archive().bytes)
    #expect(archive.archiver == "NSKeyedArchiver")
    #expect(archive.version == 100_000)
    #expect(archive.count == 3)
    #expect(archive.topReference() == 1)
  }

  /// Programs may use their own archiver classes, whose names don't matter.
  @Test func anotherArchiversNameIsKept() throws {
    var archive = Self.archive()
    archive.archiver = .string("MyArchiver")
    #expect(try KeyedArchive(archive.bytes).archiver == "MyArchiver")
  }

  @Test func whatElseStandsInTheEnvelopeIsPassedOver() throws {
    let bytes = Self.list([
      ("$version", { $0.add(integer: 100_000) }), ("$future", { $0.add(boolean: true) }),
      ("$archiver", { $0.add(string: "NSKeyedArchiver") }),
      ("$objects", { graph in graph.add(array: [graph.add(string: "$null")]) }),
      ("$top", { $0.add(dictionary: [], values: []) }),
    ])
    let archive = try KeyedArchive(bytes)
    #expect(archive.count == 1)
    #expect(archive.top == [])
    #expect(PropertyListGraph(archive.list).binary() == bytes)
  }
}
