import Foundation

extension Hasher {
  /// Adds a string's code units: Swift's own hashes are the same for strings that count as equal.
  mutating func combine(bytesOf text: String) {
    var text = text
    text.withUTF8 { bytes in
      combine(bytes.count)
      combine(bytes: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Adds all bytes: the hash of `Data` covers the first few only.
  mutating func combine(bytesOf data: Data) {
    combine(data.count)
    data.withUnsafeBytes { combine(bytes: $0) }
  }
}
