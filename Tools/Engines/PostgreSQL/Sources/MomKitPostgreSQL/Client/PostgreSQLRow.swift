import CPostgreSQL
import Foundation
import MomKit

/// A row of a result, in binary format. Valid only as long as the result is.
struct PostgreSQLRow {
  fileprivate let result: OpaquePointer
  fileprivate let number: Int32

  /// Thrown when a column's value doesn't have the requested type.
  struct Malformed: Error, CustomStringConvertible {
    let column: Int32
    var description: String { "column \(column) of the answer is not of its type" }
  }

  init(_ result: OpaquePointer, _ number: Int32) {
    (self.result, self.number) = (result, number)
  }

  @inline(__always)
  func isNull(_ column: Int32) -> Bool { PQgetisnull(result, number, column) != 0 }

  @inline(__always)
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(result, number, column), count: Int(PQgetlength(result, number, column)))
  }

  /// Returns an integer of two, four or eight bytes.
  @inline(__always)
  func integer(_ column: Int32) throws -> Int64 {
    let bytes = bytes(column)
    switch bytes.count {
    case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    default: throw Malformed(column: column)
    }
  }

  func double(_ column: Int32) throws -> Double {
    let bytes = bytes(column)
    switch bytes.count {
    case 8: return Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    case 4:
      return Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
    default: throw Malformed(column: column)
    }
  }

  func boolean(_ column: Int32) throws -> Bool {
    let bytes = bytes(column)
    guard bytes.count == 1 else { throw Malformed(column: column) }
    return bytes[0] != 0
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  func data(_ column: Int32) -> Data { Data(bytes(column)) }

  func uuid(_ column: Int32) throws -> UUID {
    let bytes = bytes(column)
    guard bytes.count == 16 else { throw Malformed(column: column) }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  func decimal(_ column: Int32) throws -> Decimal {
    guard let decimal = PostgreSQLNumeric.decimal(bytes(column)) else {
      throw Malformed(column: column)
    }
    return decimal
  }

  /// Returns the text of a `jsonb` value, without its version byte.
  func json(_ column: Int32) throws -> Data {
    let bytes = bytes(column)
    guard bytes.first == 1 else { throw Malformed(column: column) }
    return Data(bytes.dropFirst())
  }
}
