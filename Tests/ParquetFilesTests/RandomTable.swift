import Foundation
import ParquetFiles

/// A table of random columns and values, and beside its Parquet file what a reader must find in it.
struct RandomTable {
  let columns: [ParquetColumn]
  let compression: ParquetCompression
  let rowsOfGroup: Int
  /// The file.
  private(set) var bytes: [UInt8] = []
  /// A line of JSON for each row: integers, decimals and timestamps as texts of their digits, numbers as texts of the
  /// bits of a double, bytes in hexadecimal.
  private(set) var expected = ""

  init(seed: UInt64) throws {
    var random = Numbers(state: seed)
    let count = Int.random(in: 1...12, using: &random)
    columns = (0..<count).map { index in
      let type = Self.type(&random)
      let count: ParquetColumn.Count = random.pick([.one, .oneOrNone, .oneOrNone, .list])
      return ParquetColumn(
        random.pick(["é\(index)", "column \(index)", "c\(index)"]), type, count: count)
    }
    compression = Bool.random(using: &random) ? .gzip : .none
    rowsOfGroup = random.pick([1, 3, 100, ParquetWriter.rowsOfGroup])
    let rows =
      random.pick([0, 1, 2, Int.random(in: 3...300, using: &random), 3000])
    // How often a column has no value, up to always; how many different ones.
    let absences: [Double] = columns.map { _ in random.pick([0, 0.1, 0.9, 1]) }
    let pools = columns.map { column in
      (0..<random.pick([1, 3, 5000])).map { _ in Self.value(column.type, &random)
      }
    }
    var file: [UInt8] = []
    let sink = Sink()
    let writer = try ParquetWriter(
      columns: columns, compression: compression, rowsOfGroup: rowsOfGroup
    ) {
      sink.bytes += $0
    }
    for _ in 0..<rows {
      var cells: [String] = []
      for (index, column) in writer.columns.enumerated() {
        let isAbsent = Double.random(in: 0..<1, using: &random) < absences[index]
        var values: [Value] = []
        let most = column.column.count == .list ? Int.random(in: 0...6, using: &random) : 1
        for _ in 0..<most { values.append(random.pick(pools[index])) }
        switch column.column.count {
        case .oneOrNone where isAbsent: column.appendNull()
        case .list where isAbsent || values.isEmpty:
          values = []
          column.appendEmptyList()
        case .list: column.startList()
        case .one, .oneOrNone: break
        }
        if column.column.count == .oneOrNone, isAbsent {
          cells.append("null")
          continue
        }
        for value in values { try value.append(to: column) }
        let texts = values.map(\.json)
        cells.append(column.column.count == .list ? "[\(texts.joined(separator: ","))]" : texts[0])
      }
      try writer.endRow()
      expected += "[\(cells.joined(separator: ","))]\n"
    }
    try writer.finish()
    file = sink.bytes
    bytes = file
  }

  private final class Sink { var bytes: [UInt8] = [] }

  /// A value, as its column is given it.
  private enum Value {
    case flag(Bool)
    case integer(Int64)
    case digits(Int128)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    func append(to column: ParquetColumnWriter) throws {
      switch self {
      case .flag(let flag): column.append(flag)
      case .integer(let number): column.append(number)
      case .digits(let number): column.append(digits: number)
      case .real(let number): column.append(number)
      case .text(let text): try column.append(text.utf8)
      case .bytes(let bytes): try column.append(bytes)
      }
    }

    var json: String {
      switch self {
      case .flag(let flag): "\(flag)"
      case .integer(let number): "\"\(number)\""
      case .digits(let number): "\"\(number)\""
      // What isn't a number is one value, whatever its bits.
      case .real(let number):
        number.isNaN ? "\"nan\"" : "\"\(String(number.bitPattern, radix: 16))\""
      case .text(let text):
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
      case .bytes(let bytes):
        "\"\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())\""
      }
    }
  }

  private static func type(_ random: inout Numbers) -> ParquetType {
    let precision = Int.random(in: 1...38, using: &random)
    let types: [ParquetType] = [
      .boolean, .integer(bits: 8), .integer(bits: 16), .integer(bits: 32), .integer(bits: 64),
      .float, .double,
      .decimal(precision: precision, scale: Int.random(in: 0...precision, using: &random)),
      .timestamp(.microseconds), .timestamp(.nanoseconds), .uuid, .text, .json, .bytes,
    ]
    return random.pick(types)
  }

  private static func value(_ type: ParquetType, _ random: inout Numbers) -> Value {
    switch type {
    case .boolean: return .flag(.random(using: &random))
    case .integer(let bits):
      let number = Int64(truncatingIfNeeded: random.next()) >> Int64(64 - bits)
      let most = Int64.max >> Int64(64 - bits)
      return .integer(random.pick([number, 0, -1, most, ~most, number % 10]))
    case .float:
      let odd: [Float] = [
        0, -0.0, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      ]
      let number = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      return .real(
        Double(Bool.random(using: &random) ? number : random.pick(odd)))
    case .double:
      let odd = [
        0, -0.0, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      ]
      let number = Double(bitPattern: random.next())
      return .real(Bool.random(using: &random) ? number : random.pick(odd))
    case .decimal(let precision, _):
      var most = Int128(1)
      for _ in 0..<precision { most *= 10 }
      let number = Int128.random(in: -(most - 1)...(most - 1), using: &random)
      let digits = random.pick([number, 0, most - 1, 1 - most, number % 10])
      return precision <= 18 ? .integer(Int64(digits)) : .digits(digits)
    case .timestamp(let unit):
      let number = Int64(truncatingIfNeeded: random.next())
      // Python's dates end with the year 9999, so that others are compared as integers.
      let recent =
        number % (unit == .microseconds ? 4_000_000_000_000_000 : 4_000_000_000_000_000_000)
      return .integer(random.pick([recent, 0, -1, number / 4]))
    case .uuid: return .bytes((0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case .json: return .text("{\"a\": [\(random.next() % 100), null, \"é\\u0000\"]}")
    case .text:
      let parts = [
        "", "a", "é", "日本", "\0", "\"", "\n", "👩‍👩‍👧", "\u{FEFF}", "\u{10FFFF}", "long enough, ",
      ]
      let count = random.pick([0, 1, 3, 60])
      return .text((0..<count).map { _ in random.pick(parts) }.joined())
    case .bytes:
      let count = random.pick([0, 1, 20, 300])
      return .bytes((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
  }

  /// SplitMix64: a seed makes the same table everywhere.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    /// One of some members, of which there must be any.
    mutating func pick<Member>(_ members: [Member]) -> Member {
      members[Int.random(in: members.indices, using: &self)]
    }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return word ^ word >> 31
    }
  }
}
