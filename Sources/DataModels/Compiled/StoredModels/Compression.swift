/// Decompression of the common formats.
package enum Compression {
  /// Decompresses gzip (RFC 1952) or zlib (RFC 1950) data. Returns nil for data in neither format, damaged data, and
  /// data that exceeds the limit. Checksums aren't verified.
  package static func decompressed(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
    guard let start = gzipHeader(bytes) ?? zlibHeader(bytes) else { return nil }
    return try? RawDeflate.inflate(Array(bytes[start...]), limit: limit)
  }

  private static func zlibHeader(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 6, bytes[0] & 0x0F == 8, bytes[0] >> 4 <= 7, bytes[1] & 0x20 == 0,
      (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    else { return nil }
    return 2
  }

  /// The offset of the stream, after the optional header fields that the flags announce.
  private static func gzipHeader(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 18, bytes[0] == 0x1F, bytes[1] == 0x8B, bytes[2] == 8 else { return nil }
    let flags = bytes[3]
    var position = 10
    if flags & 4 != 0 { position += 2 + Int(bytes[10]) + Int(bytes[11]) << 8 }
    for flag: UInt8 in [8, 16] where flags & flag != 0 {
      guard position < bytes.count, let end = bytes[position...].firstIndex(of: 0) else {
        return nil
      }
      position = end + 1
    }
    if flags & 2 != 0 { position += 2 }
    return position < bytes.count ? position : nil
  }
}
