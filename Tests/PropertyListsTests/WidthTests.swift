import Testing

@testable import PropertyLists

/// The widths that numbers may have in a file, and those that are written.
@Suite struct WidthTests {
  @Test(arguments: 1...8) func referencesOfAnArchiveOfEveryWidth(width: Int) throws {
    let number: UInt64 = width == 8 ? .max : (1 << UInt64(width * 8)) - 1
    let object = [0x80 | UInt8(width - 1)] + BytesBuilder.number(number, width)
    let list = try BinaryPropertyList(BytesBuilder(object).bytes)
    #expect(list.value(at: 0) == .uid(number))
    #expect(list.uid(at: 0) == number)
    let again = try BinaryPropertyList(PropertyListGraph(list).binary())
    #expect(again.value(at: again.top) == .uid(number))
  }

  @Test(arguments: [
    Int128.min, -1, 0, 1, Int128(Int64.max) + 1, Int128(UInt64.max), Int128.max,
  ])
  func integersOf16Bytes(value: Int128) throws {
    var graph = PropertyListGraph()
    graph.root = graph.add(integer: value, width: 16)
    let bytes = graph.binary()
    let list = try BinaryPropertyList(bytes)
    #expect(list.value(at: list.top) == .integer(value, width: 16))
    #expect(list.integer(at: list.top) == Int(exactly: value))
    #expect(PropertyListGraph(list).binary() == bytes)
    #expect(bytes[8] == 0x14 && bytes.count == 8 + 17 + 1 + 32)
  }

  /// An integer's width is preserved.
  @Test(arguments: [(0, 1), (1, 2), (2, 4), (3, 8), (4, 16)])
  func theWidthOfAnIntegerIsKept(power: UInt8, width: Int) throws {
    let object = [0x10 | power] + BytesBuilder.number(7, width)
    let bytes = BytesBuilder(object).bytes
    let list = try BinaryPropertyList(bytes)
    #expect(list.value(at: 0) == .integer(7, width: width))
    #expect(PropertyListGraph(list).binary() == bytes)
  }

  @Test(arguments: [
    (0, 1), (255, 1), (256, 2), (65535, 2), (65536, 4), (4_294_967_295, 4), (4_294_967_296, 8),
    (Int.max, 8), (-1, 8), (Int.min, 8),
  ])
  func anIntegerIsWrittenInTheLeastWidth(value: Int, width: Int) throws {
    var graph = PropertyListGraph()
    graph.root = graph.add(integer: value)
    let list = try BinaryPropertyList(graph.binary())
    #expect(list.value(at: list.top) == .integer(Int128(value), width: width))
  }

  /// Counts of 15 and more follow the marker as an integer, in any width.
  @Test(arguments: [UInt8(0x40), 0x50, 0x60, 0xA0, 0xC0, 0xD0], [0, 1, 2, 3] as [UInt8])
  func countsOfEveryWidth(kind: UInt8, power: UInt8) throws {
    let unit = [0x60: 2, 0xD0: 2][kind] ?? 1
    let contents: [UInt8] =
      kind == 0x60 ? (0..<20).flatMap { _ in [0x00, 0x61] } : .init(repeating: 1, count: 20 * unit)
    let object =
      [kind | 15, 0x10 | power] + BytesBuilder.number(20, 1 << Int(power)) + contents
    let list = try BinaryPropertyList(BytesBuilder(object, [0x51, 0x61]).bytes)
    switch list.value(at: 0) {
    case .data(let bytes): #expect(bytes == .init(repeating: 1, count: 20))
    case .string(let text): #expect(text.count == 20)
    case .array(let members), .set(let members): #expect(members == .init(repeating: 1, count: 20))
    case .dictionary(let keys, let values):
      #expect(keys == .init(repeating: 1, count: 20) && values == keys)
    case let other: Issue.record("\(other)")
    }
  }

  /// The width of references depends on the number of objects, that of offsets on the location of the table.
  @Test(arguments: [
    (254, 1, 2), (255, 2, 2), (65534, 2, 4), (65535, 4, 4),
  ])
  func widthsGrowWithTheFile(members: Int, referenceWidth: Int, offsetWidth: Int) throws {
    var graph = PropertyListGraph()
    let nodes = (0..<members).map { graph.add(integer: Int128($0 & 0x7F), width: 1) }
    graph.root = graph.add(array: nodes)
    let bytes = graph.binary()
    let trailer = bytes.count - 32
    #expect(Int(bytes[trailer + 6]) == offsetWidth)
    #expect(Int(bytes[trailer + 7]) == referenceWidth)
    let list = try BinaryPropertyList(bytes)
    #expect(list.count == members + 1)
    #expect(list.elements(at: list.top)?.count == members)
    #expect(PropertyListGraph(list).binary() == bytes)
  }

  // MARK: Numbers that are none

  @Test(
    arguments: [
      [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], [0x33, 0xFF, 0xF0, 0, 0, 0, 0, 0, 0],
      [0x23, 0x7F, 0xF8, 0, 0, 0, 0, 0, 1], [0x23, 0x80, 0, 0, 0, 0, 0, 0, 0],
      [0x22, 0x7F, 0xC0, 0, 1], [0x22, 0x80, 0, 0, 0],
    ] as [[UInt8]])
  func notANumberAndNegativeZeroKeepTheirBits(object: [UInt8]) throws {
    let bytes = BytesBuilder(object).bytes
    let list = try BinaryPropertyList(bytes)
    #expect(PropertyListGraph(list).binary() == bytes)
    switch list.value(at: 0) {
    case .date(let number), .double(let number): #expect(!number.isNormal)
    case .float(let number): #expect(!number.isNormal)
    case let other: Issue.record("\(other)")
    }
  }

  // MARK: Text

  /// Non-ASCII text is in UTF-16; an unpaired surrogate is rejected (see RefusalTests).
  @Test(arguments: ["é", "a\u{FFFF}b", "🙂", "\u{10FFFF}", "e\u{301}", "\u{FEFF}x", "\u{0}é"])
  func textIsKeptUnitByUnit(text: String) throws {
    var graph = PropertyListGraph()
    graph.root = graph.add(string: text)
    let list = try BinaryPropertyList(graph.binary())
    #expect(list.marker(at: list.top) == .utf16)
    #expect(list.string(at: list.top).map { Array($0.utf16) } == Array(text.utf16))
  }

  @Test(
    arguments: [
      [0x61, 0xD8, 0x00], [0x61, 0xDC, 0x00], [0x62, 0xDC, 0x00, 0xD8, 0x00],
      [0x62, 0xD8, 0x00, 0xD8, 0x00], [0x62, 0xD8, 0x00, 0x00, 0x61],
      [0x63, 0xD8, 0x3D, 0xDE, 0x42, 0xDE, 0x42],
    ] as [[UInt8]])
  func halfASurrogatePairIsRefused(object: [UInt8]) {
    let error = #expect(throws: PropertyListError.self) {
      try BinaryPropertyList(BytesBuilder(object).bytes)
    }
    #expect(error?.code == .malformedObject)
    #expect(error?.message == "a UTF-16 string contains half a surrogate pair")
  }

  /// A set may contain anything, and may be empty.
  @Test func setsAreKept() throws {
    var graph = PropertyListGraph()
    let members = [graph.add(string: "a"), graph.add(integer: 1), graph.add(set: [])]
    graph.root = graph.add(set: members + [members[0]])
    let bytes = graph.binary()
    let list = try BinaryPropertyList(bytes)
    #expect(list.marker(at: list.top) == .set)
    #expect(list.value(at: list.top) == .set([1, 2, 3, 1]))
    #expect(PropertyListGraph(list).binary() == bytes)
  }
}
