import Foundation
import PropertyLists

extension ModelValue: CustomStringConvertible {
  /// The value for display in a list of changes: strings in quotes, yes and no, names without quotes.
  ///
  /// The text is the same on every machine: it doesn't depend on locale, time zone or addresses.
  public var description: String {
    switch self {
    case .none: "none"
    case .flag(let value): value ? "yes" : "no"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .decimal(let value): value.description
    case .text(let value): DisplayText.quoted(value)
    case .date(let value): "date \(value.timeIntervalSinceReferenceDate)"
    case .data(let value): "\(value.count) bytes \(Self.shortened(DisplayText.hex(value)))"
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    case .choice(_, let word): word
    case .entity(let name), .property(let name), .keyPath(let name): name
    case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
    case .set(let values): "{\(values.map(\.description).joined(separator: ", "))}"
    case .record(let fields):
      "(\(fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")))"
    case .predicate(let value): value.text
    case .expression(let value): value.text
    case .object(let value): value.text
    }
  }

  private static func shortened(_ text: String) -> String {
    text.count > 16 ? "\(text.prefix(16))…" : text
  }
}
