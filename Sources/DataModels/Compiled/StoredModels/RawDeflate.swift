import CZlib

/// DEFLATE without header and checksum (RFC 1951), the format in which stores keep their model.
enum RawDeflate {
  /// An error in decompressing data.
  enum Failure: Error, Hashable, Sendable {
    /// The bytes are not a DEFLATE stream, or are damaged.
    case damaged
    /// The stream is truncated.
    case truncated
    /// The contents are larger than the limit.
    case tooLarge
    /// Memory is exhausted.
    case outOfMemory
  }

  /// Decompresses bytes.
  ///
  /// Memory use is proportional to the actual output, not to the sizes that the input claims. Bytes after the end of
  /// the stream are ignored.
  ///
  /// - Parameters:
  ///   - bytes: The stream.
  ///   - limit: The largest result, in bytes.
  static func inflate(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    // A negative number of window bits means that there is no header.
    guard
      inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw .outOfMemory }
    defer { inflateEnd(&stream) }
    var result: [UInt8] = []
    let status = run(&stream, over: bytes, into: &result, limit: limit) { stream, _ in
      CZlib.inflate(&stream, Z_NO_FLUSH)
    }
    if result.count > limit { throw .tooLarge }
    switch status {
    case Z_STREAM_END: return result
    case Z_BUF_ERROR, Z_OK: throw .truncated
    case Z_MEM_ERROR: throw .outOfMemory
    default: throw .damaged
    }
  }

  /// Compresses bytes. The result is deterministic for one version of zlib.
  static func deflate(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    var stream = z_stream()
    guard
      deflateInit2_(
        &stream, 5, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw .outOfMemory }
    defer { deflateEnd(&stream) }
    var result: [UInt8] = []
    let status = run(&stream, over: bytes, into: &result, limit: .max) { stream, isLast in
      CZlib.deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
    }
    guard status == Z_STREAM_END else { throw .outOfMemory }
    return result
  }

  /// Passes bytes to a stream in chunks whose size zlib can represent, until it ends, fails, or exceeds the limit.
  private static func run(
    _ stream: inout z_stream, over bytes: [UInt8], into result: inout [UInt8], limit: Int,
    step: (inout z_stream, _ isLast: Bool) -> Int32
  ) -> Int32 {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var input = bytes
    return input.withUnsafeMutableBufferPointer { input in
      buffer.withUnsafeMutableBufferPointer { buffer in
        var taken = 0
        while true {
          let piece = min(input.count - taken, 1 << 30)
          stream.next_in = input.baseAddress.map { $0 + taken }
          stream.avail_in = UInt32(piece)
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          let status = step(&stream, taken + piece == input.count)
          let used = piece - Int(stream.avail_in)
          let made = buffer.count - Int(stream.avail_out)
          taken += used
          result.append(contentsOf: buffer[..<made])
          if status != Z_OK || result.count > limit || (used == 0 && made == 0) { return status }
        }
      }
    }
  }
}
