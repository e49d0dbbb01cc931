import Foundation

extension UUID {
  /// Creates a UUID from sixteen bytes; nil for another number of bytes.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    let b = Array(bytes)
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }

  /// The sixteen bytes, as written to stores and archives.
  var bytes: [UInt8] {
    let b = uuid
    return [
      b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
    ]
  }
}
