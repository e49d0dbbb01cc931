import CPostgreSQL

/// The rows of an answer, in binary format.
final class TwinRows {
  private let result: OpaquePointer

  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  var count: Int { Int(PQntuples(result)) }

  /// The number of rows that a statement wrote.
  var written: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  @inline(__always)
  private func pointer(_ row: Int, _ column: Int32) -> UnsafeRawPointer {
    UnsafeRawPointer(PQgetvalue(result, Int32(row), column))
  }

  @inline(__always)
  func integer(_ row: Int, _ column: Int32) -> Int64 {
    Int64(bigEndian: pointer(row, column).loadUnaligned(as: Int64.self))
  }

  @inline(__always)
  func double(_ row: Int, _ column: Int32) -> Double {
    Double(bitPattern: UInt64(bitPattern: integer(row, column)))
  }

  @inline(__always)
  func seconds(_ row: Int, _ column: Int32) -> Double {
    Double(integer(row, column) - TwinParameters.epoch) / 1e6
  }

  @inline(__always)
  func text(_ row: Int, _ column: Int32) -> String {
    let length = Int(PQgetlength(result, Int32(row), column))
    return String(
      decoding: UnsafeRawBufferPointer(start: pointer(row, column), count: length), as: UTF8.self)
  }
}
