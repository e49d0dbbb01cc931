/// A column of a row group as a file has it: pages, and what the footer tells about them.
struct ColumnChunk: Sendable {
  private let column: ParquetColumn
  private let compression: ParquetCompression
  /// The pages with their headers.
  private(set) var bytes: [UInt8] = []
  private var uncompressedSize = 0
  private var valueCount = 0
  private var dictionarySize = 0
  private let statistics: [UInt8]

  /// Pages end after this many bytes: the size that readers read with least trouble.
  private static let pageSize = 1 << 20

  init(
    _ values: ColumnValues, of column: ParquetColumn, _ compression: ParquetCompression
  ) throws(ParquetError) {
    self.column = column
    self.compression = compression
    statistics = ThriftWriter.structure(ColumnStatistics(values, of: column.type).thrift)
    let gzip = compression == .gzip ? try Gzip() : nil
    let dictionary = column.type.physical == .byteArray ? ValueDictionary(values) : nil
    if let dictionary {
      try append(.dictionary, dictionary.bytes, gzip: gzip) { header in
        header.field(7) {
          $0.field(1, Int32(dictionary.count))
          $0.field(2, Encoding.plain.rawValue)
        }
      }
      dictionarySize = bytes.count
    }
    var pages = PageRanges(values, of: column, limit: Self.pageSize)
    while let (levels, range) = pages.next() {
      try append(levels: levels, range, of: values, dictionary: dictionary, gzip: gzip)
    }
  }

  private enum Encoding: Int32 {
    case plain = 0
    case hybrid = 3
    case dictionary = 8
  }

  private enum PageKind: Int32 {
    case data = 0
    case dictionary = 2
  }

  // MARK: Pages

  /// Appends a data page: levels, and values. The first version of pages is the one that every reader has.
  private mutating func append(
    levels: Range<Int>, _ range: Range<Int>, of values: ColumnValues,
    dictionary: ValueDictionary?, gzip: Gzip?
  ) throws(ParquetError) {
    var page: [UInt8] = []
    if column.repetitionLevel > 0 { Self.append(values.repetitionLevels[levels], to: &page) }
    if column.definitionLevel > 0 { Self.append(values.definitionLevels[levels], to: &page) }
    if let dictionary {
      page.append(UInt8(dictionary.placeWidth))
      HybridEncoding.append(dictionary.places[range], width: dictionary.placeWidth, to: &page)
    } else {
      PlainEncoding.append(range, of: values, column.type, to: &page)
    }
    valueCount += levels.count
    try append(.data, page, gzip: gzip) { header in
      header.field(5) {
        $0.field(1, Int32(levels.count))
        $0.field(2, (dictionary == nil ? Encoding.plain : .dictionary).rawValue)
        $0.field(3, Encoding.hybrid.rawValue)
        $0.field(4, Encoding.hybrid.rawValue)
      }
    }
  }

  /// Appends levels of 0 and 1, after the size of their encoding.
  private static func append(_ levels: ArraySlice<UInt8>, to page: inout [UInt8]) {
    var bytes: [UInt8] = []
    HybridEncoding.append(levels, width: 1, to: &bytes)
    page.append(contentsOf: PlainEncoding.bytes(of: Int64(bytes.count)).prefix(4))
    page.append(contentsOf: bytes)
  }

  private mutating func append(
    _ kind: PageKind, _ page: [UInt8], gzip: Gzip?, details: (inout ThriftWriter) -> Void
  ) throws(ParquetError) {
    let body = if let gzip { try gzip.compressed(page) } else { page }
    guard let size = Int32(exactly: page.count), let written = Int32(exactly: body.count) else {
      throw .tooLarge(column: column.name)
    }
    let header = ThriftWriter.structure { header in
      header.field(1, kind.rawValue)
      header.field(2, size)
      header.field(3, written)
      header.field(4, Gzip.checksum(body))
      details(&header)
    }
    bytes.append(contentsOf: header)
    bytes.append(contentsOf: body)
    uncompressedSize += header.count + page.count
  }

  // MARK: The footer

  /// The size of the pages before compression, with their headers.
  var totalUncompressedSize: Int { uncompressedSize }

  /// What the footer tells, once the place of the first page in the file is known.
  func metadata(at offset: Int) -> [UInt8] {
    let encodings: [Encoding] =
      dictionarySize > 0 ? [.plain, .hybrid, .dictionary] : [.plain, .hybrid]
    return ThriftWriter.structure { chunk in
      chunk.field(2, Int64(0))
      chunk.field(3) { data in
        data.field(1, column.type.physical.rawValue)
        data.list(2, encodings.map(\.rawValue))
        data.list(3, column.path)
        data.field(4, compression.number)
        data.field(5, Int64(valueCount))
        data.field(6, Int64(uncompressedSize))
        data.field(7, Int64(bytes.count))
        data.field(9, Int64(offset + dictionarySize))
        if dictionarySize > 0 { data.field(11, Int64(offset)) }
        data.field(12, bytes: statistics)
      }
    }
  }
}
