import Foundation

/// The parts of a URL that identifies an object: `x-coredata://STORE/Entity/pROW`.
struct ObjectURI {
  private let store: UnsafeRawBufferPointer
  /// The entity's name.
  let entity: String
  /// The row's reference in its store, as written in the URL.
  let row: String

  private static let scheme: StaticString = "x-coredata://"

  /// Parses a URL's text and calls `body` with the parts; nil for a URL of another form.
  @inline(__always)
  static func parsing<Result>(_ text: String, _ body: (ObjectURI) -> Result?) -> Result? {
    var text = text
    return text.withUTF8 { ObjectURI($0).flatMap(body) }
  }

  /// - Precondition: the bytes outlive the result.
  private init?(_ text: UnsafeBufferPointer<UInt8>) {
    let text = UnsafeRawBufferPointer(text)
    let scheme = UnsafeRawBufferPointer(
      start: Self.scheme.utf8Start, count: Self.scheme.utf8CodeUnitCount)
    guard text.count > scheme.count, let start = text.baseAddress, let first = scheme.baseAddress,
      memcmp(start, first, scheme.count) == 0
    else { return nil }
    let path = UnsafeRawBufferPointer(rebasing: text[scheme.count...])
    let slash = UInt8(ascii: "/")
    guard let afterStore = path.firstIndex(of: slash),
      let afterEntity = path[(afterStore + 1)...].firstIndex(of: slash),
      path.count > afterEntity + 1, path[afterEntity + 1] == UInt8(ascii: "p")
    else { return nil }
    store = UnsafeRawBufferPointer(rebasing: path[..<afterStore])
    let name = path[(afterStore + 1)..<afterEntity]
    let written = String(decoding: name, as: UTF8.self)
    entity = name.contains(UInt8(ascii: "%")) ? written.removingPercentEncoding ?? "" : written
    row = String(decoding: path[(afterEntity + 2)...], as: UTF8.self)
  }

  /// Whether the row is in the store with an identifier.
  func isIn(_ identifier: String) -> Bool {
    var identifier = identifier
    return identifier.withUTF8 {
      guard $0.count == store.count, let left = $0.baseAddress, let right = store.baseAddress else {
        return false
      }
      return memcmp(left, right, store.count) == 0
    }
  }
}
