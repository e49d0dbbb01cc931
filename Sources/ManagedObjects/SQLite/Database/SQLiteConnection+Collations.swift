import CSQLite
import Foundation

/// A collation implemented in Swift, as retained by SQLite.
private final class CollationBox {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  let quick: (Bytes, Bytes) -> ComparisonResult?
  let compare: (String, String) -> ComparisonResult

  init(
    _ quick: @escaping (Bytes, Bytes) -> ComparisonResult?,
    _ compare: @escaping (String, String) -> ComparisonResult
  ) {
    (self.quick, self.compare) = (quick, compare)
  }
}

extension SQLiteConnection {
  /// Registers a collation, for use with `COLLATE`.
  ///
  /// - Parameters:
  ///   - quick: compares strings by their bytes, or returns nil if that isn't sufficient.
  ///   - compare: compares any strings.
  func registerCollation(
    _ name: String,
    quick: @escaping (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> ComparisonResult? =
      {
        _, _ in nil
      },
    _ compare: @escaping (String, String) -> ComparisonResult
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(CollationBox(quick, compare))
    let result = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, box.toOpaque(),
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        func bytes(_ bytes: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
          UnsafeRawBufferPointer(start: bytes, count: Int(count)).bindMemory(to: UInt8.self)
        }
        let (one, other) = (bytes(left, leftCount), bytes(right, rightCount))
        return Unmanaged<CollationBox>.fromOpaque(context)._withUnsafeGuaranteedRef {
          let order =
            $0.quick(one, other)
            ?? $0.compare(
              String(decoding: one, as: UTF8.self), String(decoding: other, as: UTF8.self))
          return Int32(order.rawValue)
        }
      },
      { context in if let context { Unmanaged<CollationBox>.fromOpaque(context).release() } })
    guard result == SQLITE_OK else {
      // Unlike for functions, SQLite doesn't release the context of a collation that it refuses.
      box.release()
      throw error(result, sql: nil)
    }
  }
}
