/// Puts JSON values together: one on each line, or one array.
struct JSONLines {
  private let isArray: Bool
  private var bytes: [UInt8] = []
  private var count = 0

  init(isArray: Bool) { self.isArray = isArray }

  /// Whether there is no value.
  var isEmpty: Bool { count == 0 }

  mutating func append(_ value: [UInt8]) {
    if isArray, count > 0 { bytes += Array(",".utf8) }
    if isArray { bytes += Array("\n  ".utf8) }
    bytes += value
    if !isArray { bytes += Array("\n".utf8) }
    count += 1
  }

  /// The whole text.
  func finish() -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard isArray else { return text }
    return isEmpty ? "[]\n" : "[\(text)\n]\n"
  }
}
