import Testing

@testable import ParquetFiles

@Suite struct ParquetWriterTests {
  /// Collects a file.
  private final class Sink { var bytes: [UInt8] = [] }

  private func file(
    _ columns: [ParquetColumn], rowsOfGroup: Int = 100, _ body: (ParquetWriter) throws -> Void
  ) throws -> [UInt8] {
    let sink = Sink()
    let writer = try ParquetWriter(columns: columns, compression: .none, rowsOfGroup: rowsOfGroup) {
      sink.bytes += $0
    }
    try body(writer)
    try writer.finish()
    return sink.bytes
  }

  /// A file that pyarrow and DuckDB have read: keys 1 and 2, texts "a" and none, lists of 7 and 8, and of nothing.
  @Test func aSmallFileHasTheseBytes() throws {
    let columns = [
      ParquetColumn("k", .integer(bits: 64), count: .one), ParquetColumn("t", .text),
      ParquetColumn("l", .integer(bits: 64), count: .list),
    ]
    let bytes = try file(columns) { writer in
      writer.columns[0].append(Int64(1))
      try writer.columns[1].append("a".utf8)
      writer.columns[2].startList()
      writer.columns[2].append(Int64(7))
      writer.columns[2].append(Int64(8))
      try writer.endRow()
      writer.columns[0].append(Int64(2))
      writer.columns[1].appendNull()
      writer.columns[2].appendEmptyList()
      try writer.endRow()
    }
    #expect(hex(bytes) == Self.golden)
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static let golden = """
    5041523115001520152015f2f6b60f1c1504150015061506000001000000000000000200000000000000150015161516\
    15a99aaa97061c150415001506150600000200000003010100000061150015381538159791e5830e1c15061500150615\
    060000020000000302020000000303070000000000000008000000000000001502196c4806736368656d611506001504\
    250018016b25244cac134011000000150c250218017425004c1c000000350018016c150215064c3c000000350418046c\
    697374150200150425001807656c656d656e7425244cac1340110000001604191c193c26001c1504192500061918016b\
    15001604164c164c26083c3600280802000000000000001808010000000000000000000026001c150c19250006191801\
    74150016041644164426543c360228016118016100000026001c1504192500061938016c046c69737407656c656d656e\
    7415001606166616662698013c3602280808000000000000001808070000000000000000000016f6011604260816f601\
    00281e4d6f6d4b69742076657273696f6e20312e302e3020286275696c64203029193c1c00001c00001c0000002e0100\
    0050415231
    """

  @Test func columnsMustHaveNamesOfTheirOwn() {
    #expect(throws: ParquetError.invalidColumns("two have the name a")) {
      try file([ParquetColumn("a", .text), ParquetColumn("a", .double)]) { _ in }
    }
    #expect(throws: ParquetError.self) { try file([]) { _ in } }
  }

  /// The sink may be a file on a full disk.
  @Test func errorsOfTheSinkAreHandedOn() throws {
    struct Full: Error {}
    #expect(throws: Full.self) {
      try ParquetWriter(columns: [ParquetColumn("a", .text)]) { _ in throw Full() }
    }
    var room = 1
    let writer = try ParquetWriter(columns: [ParquetColumn("a", .text)], rowsOfGroup: 1) { _ in
      room -= 1
      if room < 0 { throw Full() }
    }
    try writer.columns[0].append("text".utf8)
    #expect(throws: Full.self) { try writer.endRow() }
  }

  @Test func largeValuesEndRowGroups() throws {
    let large = [UInt8](repeating: 65, count: 20 << 20)
    var pieces: [Int] = []
    let writer = try ParquetWriter(columns: [ParquetColumn("a", .bytes)], compression: .none) {
      pieces.append($0.count)
    }
    for _ in 0..<4 {
      try writer.columns[0].append(large)
      try writer.endRow()
    }
    try writer.finish()
    #expect(pieces.filter { $0 > 1 << 20 }.count == 2)
  }

  @Test func minimaAndMaximaAreInTheOrderOfTheirTypes() throws {
    func statistics(_ type: ParquetType, _ append: (ParquetColumnWriter) throws -> Void) rethrows
      -> ColumnStatistics
    {
      let writer = ParquetColumnWriter(ParquetColumn("a", type))
      try append(writer)
      return ColumnStatistics(writer.values, of: type)
    }
    let zeros = statistics(.double) { writer in
      writer.append(0.0)
      writer.append(Double.nan)
    }
    #expect(zeros.minimum == PlainEncoding.bytes(of: -0.0, isSingle: false))
    #expect(zeros.maximum == PlainEncoding.bytes(of: 0.0, isSingle: false))
    let none = statistics(.float) { $0.append(Double.nan) }
    #expect(none.minimum == nil && none.maximum == nil)
    let decimals = statistics(.decimal(precision: 38, scale: 0)) { writer in
      writer.append(digits: 5)
      writer.append(digits: -5)
    }
    #expect(decimals.minimum == [UInt8](repeating: 0xFF, count: 15) + [0xFB])
    #expect(decimals.maximum == [UInt8](repeating: 0, count: 15) + [5])
    // In the order of bytes, not of characters.
    let texts = try statistics(.text) { writer in
      for text in ["é", "z", "a"] { try writer.append(text.utf8) }
      writer.appendNull()
    }
    #expect(texts.minimum == Array("a".utf8) && texts.maximum == Array("é".utf8))
    #expect(texts.nullCount == 1)
  }
}
