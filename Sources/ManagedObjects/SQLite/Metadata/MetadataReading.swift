import Foundation
import PropertyLists

/// Makes the values of a store's metadata from their property list.
///
/// A list may name one value many times, in lists that it names many times: how much is made is limited.
struct MetadataReading {
  /// A list that would take too much to be read.
  struct LimitExceeded: Error {
    let text: String
  }

  private let list: BinaryPropertyList
  private var values: Int
  private var bytes: Int

  init(_ list: BinaryPropertyList) {
    self.list = list
    values = (list.count &+ list.referenceCount) &* 64 &+ 1024
    bytes = ArchiveLimits.default.expansion(ofFile: list.bytes.count)
  }

  /// The value at a position in the list.
  ///
  /// - Throws: ``LimitExceeded``.
  mutating func value(at index: Int, depth: Int) throws(LimitExceeded) -> Any {
    guard depth < MetadataList.maximalDepth else {
      throw LimitExceeded(text: "values are nested too deeply")
    }
    try spend(values: 1)
    switch list.value(at: index) {
    case .null: return NSNull()
    case .boolean(let flag): return flag
    case .integer(let number, _):
      if let small = Int(exactly: number) { return small }
      if let large = UInt64(exactly: number) { return large }
      return Double(number)
    case .float(let number): return number
    case .double(let number): return number
    case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let data):
      try spend(bytes: data.count)
      return Data(data)
    case .string(let text):
      try spend(bytes: text.utf8.count)
      return text
    case .uid(let number): return Int(exactly: number) ?? 0
    case .array(let members), .set(let members):
      var elements: [Any] = []
      for member in members { elements.append(try value(at: member, depth: depth + 1)) }
      return elements
    case .dictionary(let keys, let values):
      var entries: [String: Any] = [:]
      for (key, position) in zip(keys, values) {
        guard let name = list.string(at: key) else { continue }
        try spend(bytes: name.utf8.count)
        entries[name] = try value(at: position, depth: depth + 1)
      }
      return entries
    }
  }

  private mutating func spend(values count: Int = 0, bytes size: Int = 0) throws(LimitExceeded) {
    values -= count
    bytes -= size
    guard values >= 0, bytes >= 0 else {
      throw LimitExceeded(text: "they hold the same values too many times over")
    }
  }
}
