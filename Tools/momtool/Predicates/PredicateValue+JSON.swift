import Foundation
import PredicateFormat

extension PredicateValue {
  /// The value as JSON; what JSON has no form for, as its canonical text in a string.
  var json: String {
    switch self {
    case .null, .nsNull: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .integer, .unsigned: ExpressionTree.constant(self).canonicalFormat
    case .decimal(let number) where !number.isNaN: number.description
    case .double(let number) where number.isFinite:
      ExpressionTree.constant(self).canonicalFormat
    case .string(let text): Self.quoted(text)
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      "[" + elements.map(\.json).joined(separator: ",") + "]"
    case .dictionary(let entries):
      "{"
        + entries.map { "\($0.key.json):\($0.value.json)" }.sorted().joined(separator: ",") + "}"
    default: Self.quoted(ExpressionTree.constant(self).canonicalFormat)
    }
  }

  private static func quoted(_ text: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    guard let data = try? encoder.encode(text) else { return "\"\"" }
    return String(decoding: data, as: UTF8.self)
  }
}
