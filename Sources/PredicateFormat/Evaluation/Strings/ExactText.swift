import Foundation

/// A string compared byte by byte, like an `NSString`. Swift's strings are equal if they are canonically equivalent,
/// such as `é` as one scalar and as two.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    equal(left.text, right.text)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }

  package static func equal(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && order(a, b) == .orderedSame
  }

  /// The order of the bytes, which equals the order of the scalars.
  static func order(_ a: String, _ b: String) -> ComparisonResult {
    var (a, b) = (a, b)
    let order = a.withUTF8 { a in
      b.withUTF8 { b in
        // An empty string has no base address.
        guard let first = a.baseAddress, let second = b.baseAddress else {
          return a.count - b.count
        }
        let order = Int(memcmp(first, second, Swift.min(a.count, b.count)))
        return order == 0 ? a.count - b.count : order
      }
    }
    return ComparisonResult(rawValue: order.signum()) ?? .orderedSame
  }
}
