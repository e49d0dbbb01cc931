import Foundation
import ParquetFiles
import Testing

/// Tables of random types and values.
///
/// With `MOMKIT_PARQUET_FOLDER`, `MOMKIT_PARQUET_TABLES` of them from the seed `MOMKIT_PARQUET_FROM` on are written there,
/// for Tools/parquet-readers.
@Suite struct RandomTableTests {
  @Test func tablesAreWrittenForReaders() throws {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["MOMKIT_PARQUET_FROM"].flatMap { UInt64($0) } ?? 0
    let count = environment["MOMKIT_PARQUET_TABLES"].flatMap { UInt64($0) } ?? 20
    for seed in first..<first + count {
      let table = try RandomTable(seed: seed)
      #expect(
        table.bytes.starts(with: Array("PAR1".utf8))
          && table.bytes.suffix(4) == Array("PAR1".utf8)[...])
      guard let folder = environment["MOMKIT_PARQUET_FOLDER"] else { continue }
      let url = URL(fileURLWithPath: folder).appendingPathComponent("\(seed)")
      try Data(table.bytes).write(to: url.appendingPathExtension("parquet"))
      try Data(table.expected.utf8).write(to: url.appendingPathExtension("jsonl"))
    }
  }

  /// Columns are encoded at the same time, which must show nowhere.
  @Test(arguments: 0..<10 as Range<UInt64>) func equalRowsGiveEqualBytes(seed: UInt64) throws {
    #expect(try RandomTable(seed: seed).bytes == RandomTable(seed: seed).bytes)
  }
}
