import Foundation

/// The input of one version hash, in the form in which Core Data hashes it.
struct HashInput {
  private(set) var bytes: [UInt8] = []

  /// Appends a string's UTF-8 bytes up to the first NUL, without length or terminator.
  mutating func append(_ text: String) {
    if text.utf8.contains(0) {
      bytes.append(contentsOf: text.utf8.prefix { $0 != 0 })
    } else {
      bytes.append(contentsOf: text.utf8)
    }
  }

  /// Appends a byte.
  mutating func append(byte: UInt8) {
    bytes.append(byte)
  }

  /// Appends a number in little-endian order.
  mutating func append(littleEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends a digest.
  mutating func append(_ digest: SHA256.Digest) {
    bytes.append(contentsOf: digest.bytes)
  }

  /// The hash of the input.
  var sha256: SHA256.Digest { SHA256.hash(bytes) }
}
