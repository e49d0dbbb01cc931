import CZlib

/// Compression by the system's zlib, in the format of gzip (RFC 1952) with an empty header, so that equal bytes are
/// compressed to equal bytes by one version of zlib.
final class Gzip {
  private var stream = z_stream()

  /// Level 1: the next ones take twice the time for a tenth of the size.
  private static let level: Int32 = 1

  init() throws(ParquetError) {
    // 16 more than the size of the window stands for gzip's header.
    let status = deflateInit2_(
      &stream, Self.level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw .outOfMemory }
  }

  deinit { deflateEnd(&stream) }

  /// Compresses a page, which is smaller than 2 GiB.
  func compressed(_ bytes: [UInt8]) throws(ParquetError) -> [UInt8] {
    guard deflateReset(&stream) == Z_OK else { throw .outOfMemory }
    var input = bytes
    let bound = Int(deflateBound(&stream, UInt(input.count)))
    var status = Z_STREAM_ERROR
    let result = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
      input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        status = deflate(&stream, Z_FINISH)
        count = output.count - Int(stream.avail_out)
      }
    }
    guard status == Z_STREAM_END else { throw .outOfMemory }
    return result
  }

  /// The checksum of a page's bytes (CRC-32), by which readers can tell damage.
  static func checksum(_ bytes: [UInt8]) -> Int32 {
    let sum = bytes.withUnsafeBufferPointer {
      crc32_z(0, $0.baseAddress, $0.count)
    }
    return Int32(bitPattern: UInt32(truncatingIfNeeded: sum))
  }
}
