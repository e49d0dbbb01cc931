import Foundation

/// The response to a request.
struct BrowseAnswer: Sendable {
  /// A request for something in the store or model.
  struct Question: Sendable {
    /// The path that follows the token.
    let path: String
    let values: [String: String]

    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns a query parameter as a number, clamped to the given bounds.
    func number(_ name: String, default standard: Int, in bounds: ClosedRange<Int>) -> Int {
      min(max(values[name].flatMap { Int($0) } ?? standard, bounds.lowerBound), bounds.upperBound)
    }
  }

  var status = 200
  var type = "application/json"
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  /// Returns a response that contains a value as JSON.
  static func json(_ value: some Encodable) throws -> BrowseAnswer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return BrowseAnswer(body: Array(try encoder.encode(value)))
  }

  /// Returns an error response with a message as text.
  static func refusal(_ status: Int, _ message: String) -> BrowseAnswer {
    BrowseAnswer(
      status: status, type: "text/plain; charset=utf-8", body: Array((message + "\n").utf8))
  }

  /// Returns a response for the browser to save as a file.
  static func file(_ body: [UInt8], named name: String, type: String) -> BrowseAnswer {
    // The name comes from the model: the plain form contains only letters and digits, the encoded one everything.
    let plain = String(
      name.unicodeScalars.map { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains(scalar))
          ? Character(scalar) : "_"
      })
    let whole = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? plain
    return BrowseAnswer(
      type: type,
      headers: [
        "Content-Disposition": "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(whole)"
      ], body: body)
  }
}
