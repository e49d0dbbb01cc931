import Testing

@testable import PropertyLists

/// Every marker is read correctly in every width.
@Suite struct MarkerTests {
  private static let minusOne = [UInt8](repeating: 0xFF, count: 16)

  @Test(
    arguments: [
      ([0x00], .null), ([0x08], .boolean(false)), ([0x09], .boolean(true)),
      ([0x10, 0xFF], .integer(255, width: 1)),
      ([0x11, 0xFF, 0xFE], .integer(65534, width: 2)),
      ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(4_294_967_295, width: 4)),
      ([0x13] + minusOne[..<8], .integer(-1, width: 8)),
      ([0x14] + minusOne, .integer(-1, width: 16)),
      (
        [0x14] + [UInt8](repeating: 0, count: 8) + minusOne[..<8],
        .integer(18_446_744_073_709_551_615, width: 16)
      ),
      ([0x22, 0x3F, 0x80, 0, 0], .float(1)),
      ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], .double(1.5)),
      ([0x33, 0xC0, 0x24, 0, 0, 0, 0, 0, 0], .date(-10)),
      ([0x40], .data([])), ([0x42, 1, 2], .data([1, 2])),
      ([0x4F, 0x10, 1, 7], .data([7])), ([0x4F, 0x11, 0, 1, 7], .data([7])),
      ([0x4F, 0x13, 0, 0, 0, 0, 0, 0, 0, 1, 7], .data([7])),
      ([0x50], .string("")), ([0x52, 0x61, 0x62], .string("ab")),
      ([0x5F, 0x10, 1, 0x61], .string("a")),
      ([0x61, 0x00, 0xE9], .string("é")),
      ([0x62, 0xD8, 0x3D, 0xDE, 0x42], .string("🙂")),
      ([0x80, 5], .uid(5)), ([0x81, 1, 0], .uid(256)),
      ([0x82, 1, 0, 0], .uid(65536)), ([0x83, 0xFF, 0xFF, 0xFF, 0xFF], .uid(4_294_967_295)),
      ([0x87] + minusOne[..<8], .uid(.max)),
      ([0xA0], .array([])), ([0xAF, 0x10, 0], .array([])), ([0xC0], .set([])),
      ([0xD0], .dictionary(keys: [], values: [])),
    ] as [([UInt8], PropertyListValue)])
  func values(bytes: [UInt8], expected: PropertyListValue) throws {
    let list = try BinaryPropertyList(BytesBuilder(bytes).bytes)
    #expect(list.value(at: 0) == expected)
    // Rewriting it results in the same value, whatever the width.
    let again = try BinaryPropertyList(PropertyListGraph(list).binary())
    #expect(again.value(at: again.top) == expected)
  }

  @Test func containersNameTheirMembers() throws {
    let list = try BinaryPropertyList(
      BytesBuilder([0xD1, 1, 2], [0x51, 0x61], [0xA3, 3, 1, 3], [0xC1, 1]).bytes)
    #expect(list.value(at: 0) == .dictionary(keys: [1], values: [2]))
    #expect(list.value(at: 2) == .array([3, 1, 3]))
    #expect(list.value(at: 3) == .set([1]))
    #expect(list.value(forKey: "a", ofDictionary: 0) == 2)
    #expect(list.value(forKey: "b", ofDictionary: 0) == nil)
    let graph = PropertyListGraph(list)
    #expect(graph.binary() == PropertyListGraph(try BinaryPropertyList(graph.binary())).binary())
  }

  @Test(arguments: 1...8) func offsetsAndReferencesOfEveryWidth(width: Int) throws {
    var builder = BytesBuilder(
      [0xA2] + BytesBuilder.number(1, width) + BytesBuilder.number(2, width), [0x09], [0x50])
    builder.offsetWidth = width
    builder.referenceWidth = width
    let list = try BinaryPropertyList(builder.bytes)
    #expect(list.value(at: 0) == .array([1, 2]))
  }

  @Test func aTopObjectMayBeAnyObject() throws {
    var builder = BytesBuilder([0x09], [0xA1, 0])
    builder.top = 1
    let list = try BinaryPropertyList(builder.bytes)
    #expect(list.value(at: list.top) == .array([0]))
  }
}
