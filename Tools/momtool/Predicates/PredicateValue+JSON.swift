import DataModels
import Foundation
import PredicateFormat

extension PredicateValue {
  /// The value as JSON. Values that JSON can't represent are strings: dates in ISO 8601, bytes in base64, `NaN` and
  /// `Infinity` by name, and anything else as its canonical text.
  var json: String {
    switch self {
    case .null, .nsNull: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .integer, .unsigned: ExpressionTree.constant(self).canonicalFormat
    case .decimal(let number) where !number.isNaN: number.description
    case .decimal: JSONText.quoted("NaN")
    case .double(let number): Self.number(number, number.isFinite)
    case .float(let number): Self.number(Double(number), number.isFinite, text: number.description)
    case .date(let date): JSONText.quoted(Self.text(of: date))
    case .data(let data): JSONText.quoted(data.base64EncodedString())
    case .string(let text): JSONText.quoted(text)
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      "[" + elements.map(\.json).joined(separator: ",") + "]"
    case .dictionary(let entries):
      "{"
        + entries.map { "\($0.key.json):\($0.value.json)" }.sorted().joined(separator: ",") + "}"
    default: JSONText.quoted(ExpressionTree.constant(self).canonicalFormat)
    }
  }

  private static func number(_ number: Double, _ isFinite: Bool, text: String? = nil) -> String {
    guard isFinite else {
      return JSONText.quoted(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    }
    return text ?? ExpressionTree.constant(.double(number)).canonicalFormat
  }

  /// The date in ISO 8601 with all digits; for years without four digits, and for NaN, its canonical text.
  private static func text(of date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    guard (-62_135_596_800..<253_402_300_800).contains(seconds) else {
      return ExpressionTree.constant(.date(date)).canonicalFormat
    }
    return DateText.iso8601(date.timeIntervalSinceReferenceDate)
  }
}
