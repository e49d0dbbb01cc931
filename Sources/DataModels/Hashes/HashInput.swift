import Foundation

/// The bytes that go into one version hash, collected in the way Core Data feeds them.
struct HashInput {
  private(set) var bytes: [UInt8] = []

  /// A text's UTF-8 bytes up to the first NUL, without length or terminator.
  mutating func append(_ text: String) {
    if text.utf8.contains(0) {
      bytes.append(contentsOf: text.utf8.prefix { $0 != 0 })
    } else {
      bytes.append(contentsOf: text.utf8)
    }
  }

  /// A byte.
  mutating func append(byte: UInt8) {
    bytes.append(byte)
  }

  /// A number's bytes, the lowest first.
  mutating func append(littleEndian number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// A hash made before.
  mutating func append(_ digest: SHA256.Digest) {
    bytes.append(contentsOf: digest.bytes)
  }

  /// The hash of what was collected.
  var sha256: SHA256.Digest { SHA256.hash(bytes) }
}
