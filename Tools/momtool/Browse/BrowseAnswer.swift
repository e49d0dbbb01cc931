import Foundation

/// What is answered to a request.
struct BrowseAnswer: Sendable {
  /// What is asked for.
  struct Question: Sendable {
    /// The path behind the token.
    let path: String
    let values: [String: String]

    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A number of the question, within bounds.
    func number(_ name: String, default standard: Int, in bounds: ClosedRange<Int>) -> Int {
      min(max(values[name].flatMap { Int($0) } ?? standard, bounds.lowerBound), bounds.upperBound)
    }
  }

  var status = 200
  var type = "application/json"
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  /// A value as JSON.
  static func json(_ value: some Encodable) throws -> BrowseAnswer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return BrowseAnswer(body: Array(try encoder.encode(value)))
  }

  /// A text for who asked wrongly.
  static func refusal(_ status: Int, _ message: String) -> BrowseAnswer {
    BrowseAnswer(
      status: status, type: "text/plain; charset=utf-8", body: Array((message + "\n").utf8))
  }

  /// A file to be saved.
  static func file(_ body: [UInt8], named name: String, type: String) -> BrowseAnswer {
    // Names are the model's: in the plain form nothing but letters and digits, in the other everything.
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
