import Testing

@testable import PropertyLists

/// Files that a reader must reject, each with the complete error.
@Suite struct RefusalTests {
  private static func changed(
    _ objects: [UInt8]..., change: (inout BytesBuilder) -> Void = { _ in }
  ) -> [UInt8] {
    var builder = BytesBuilder()
    builder.objects = objects
    change(&builder)
    return builder.bytes
  }

  @Test(
    arguments: [
      ([], "byte 0: not a binary property list: it does not begin with bplist00"),
      (
        Array("bplist01".utf8),
        "byte 0: not a binary property list: it does not begin with bplist00"
      ),
      (
        Array("bplist00".utf8),
        "byte 8: the file is shorter than a header, an object and a trailer"
      ),
      (
        changed([0x10, 1]) { $0.offsetWidth = 0 },
        "byte 16: offsets of 0 and references of 1 bytes; both must be 1 to 8"
      ),
      (
        changed([0x09]) { $0.referenceWidth = 9 },
        "byte 16: offsets of 1 and references of 9 bytes; both must be 1 to 8"
      ),
      (
        changed([0x09]) { $0.count = 0 },
        "byte 18: 0 objects; at least 1 and at most 50000000 are read"
      ),
      (
        changed([0x09]) { $0.count = .max },
        "byte 18: 18446744073709551615 objects; at least 1 and at most 50000000 are read"
      ),
      (
        changed([0x09]) { $0.count = 40_000_000 },
        "byte 34: an offset table of 40000000 times 1 bytes at 9 lies outside the file"
      ),
      (changed([0x09]) { $0.top = 1 }, "byte 26: the top object 1 is none of the 1 objects"),
      (
        changed([0x09]) { $0.table = .max },
        "byte 34: an offset table of 1 times 1 bytes at 18446744073709551615 lies outside the file"
      ),
      (
        changed([0x09]) { $0.table = 3 },
        "byte 34: an offset table of 1 times 1 bytes at 3 lies outside the file"
      ),
      (
        changed([0x09]) { $0.offsets = [9] },
        "object 0, byte 9: its offset 9 lies outside the objects"
      ),
      (
        changed([0x09]) { $0.offsets = [7] },
        "object 0, byte 9: its offset 7 lies outside the objects"
      ),
      (changed([0x01]), "object 0, byte 8: unknown marker 0x1"),
      (changed([0x15, 0]), "object 0, byte 8: unknown marker 0x15"),
      (changed([0x88, 0]), "object 0, byte 8: unknown marker 0x88"),
      (changed([0x70]), "object 0, byte 8: unknown marker 0x70"),
      (changed([0x13, 0]), "object 0, byte 8: it ends at byte 17, inside the offset table"),
      (changed([0x53, 0x61]), "object 0, byte 8: a count of 3 does not fit the file"),
      (changed([0x5F]), "object 0, byte 9: its count is not an integer of 1 to 8 bytes"),
      (changed([0x5F, 0x14]), "object 0, byte 9: its count is not an integer of 1 to 8 bytes"),
      (changed([0x5F, 0x13, 0]), "object 0, byte 9: its count is cut off"),
      (
        changed([0xDF, 0x13] + [UInt8](repeating: 0xFF, count: 8)),
        "object 0, byte 8: a count of 18446744073709551615 does not fit the file"
      ),
      (changed([0x52, 0x61, 0x80]), "object 0, byte 10: an ASCII string contains the byte 0x80"),
      (
        changed([0x61, 0xD8, 0x00]),
        "object 0, byte 9: a UTF-16 string contains half a surrogate pair"
      ),
      (
        changed([0x62, 0, 0x61, 0xDC, 0x00]),
        "object 0, byte 11: a UTF-16 string contains half a surrogate pair"
      ),
      (changed([0xA1, 1]), "object 0, byte 9: it refers to object 1 of 1"),
      (
        changed([0xD1, 1, 1], [0x10, 1]),
        "object 0, byte 9: a dictionary's key, object 1, is not a string"
      ),
      (changed([0xA1, 0]), "object 0, byte 8: it contains itself through object 0"),
      (
        changed([0xA1, 1], [0xC1, 2], [0xD1, 3, 0], [0x51, 0x61]),
        "object 2, byte 8: it contains itself through object 0"
      ),
      (
        changed([0x52, 0x61, 0x62], [0x09]) { $0.offsets = [8, 8] },
        "object 1, byte 8: objects overlap: together they are larger than the file"
      ),
    ] as [([UInt8], String)])
  func errorsSayWhatAndWhere(bytes: [UInt8], text: String) {
    let error = #expect(throws: PropertyListError.self) { try BinaryPropertyList(bytes) }
    #expect(error?.description == text)
  }

  @Test func limitsAreKept() {
    let many = BytesBuilder([0xA2, 1, 2], [0x09], [0x08]).bytes
    for (limits, text) in [
      (
        PropertyListLimits(byteCount: 40),
        "the file has 48 bytes, over the limit of 40"
      ),
      (
        PropertyListLimits(objectCount: 2),
        "byte 24: 3 objects; at least 1 and at most 2 are read"
      ),
    ] {
      let error = #expect(throws: PropertyListError.self) {
        try BinaryPropertyList(many, limits: limits)
      }
      #expect(error?.code == .limitExceeded)
      #expect(error?.description == text)
    }
  }

  @Test(arguments: [false, true]) func depthIsLimited(backwards: Bool) throws {
    func nested(_ depth: Int) -> [UInt8] {
      var builder = BytesBuilder()
      builder.referenceWidth = 2
      builder.offsetWidth = 2
      for level in 0..<depth {
        let member = backwards ? level - 1 : level + 1
        let isLast = level == (backwards ? 0 : depth - 1)
        builder.objects.append(isLast ? [0xA0] : [0xA1] + BytesBuilder.number(UInt64(member), 2))
      }
      builder.top = backwards ? UInt64(depth - 1) : 0
      return builder.bytes
    }
    _ = try BinaryPropertyList(nested(128))
    let error = #expect(throws: PropertyListError.self) { try BinaryPropertyList(nested(129)) }
    #expect(error?.message == "containers nest more than 128 deep")
    #expect(throws: PropertyListError.self) { try BinaryPropertyList(nested(20_000)) }
  }

  /// Thirty arrays, each of which contains the next one twice: 2³⁰ values if they were created one by one.
  @Test func sharingIsNotExpanded() throws {
    var graph = PropertyListGraph()
    var node = graph.add(string: "lol")
    for _ in 0..<30 { node = graph.add(array: [node, node]) }
    graph.root = node
    let bytes = graph.binary()
    #expect(bytes.count < 300)
    let list = try BinaryPropertyList(bytes)
    #expect(list.count == 31)
    #expect(PropertyListGraph(list).binary() == bytes)
  }
}
