import DataModels
import Foundation

/// A value of a store's row as plain data, to be written as JSON or as text.
package indirect enum ListedValue: Sendable, Equatable {
  case null
  case flag(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes(Data)
  /// Seconds since 2001.
  case date(Double)
  case list([ListedValue])
  case record([(name: String, value: ListedValue)])

  package static func == (left: ListedValue, right: ListedValue) -> Bool {
    left.json == right.json
  }

  /// The value as JSON, on one line: bytes in base64, dates in ISO 8601 to the last digit.
  package var json: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// The value as a cell of a table; nil for none. Lists are separated by blanks.
  package var cell: String? {
    switch self {
    case .null: nil
    case .flag(let flag): flag ? "true" : "false"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .bytes(let data): data.base64EncodedString()
    case .date(let seconds): DateText.iso8601(seconds)
    case .list(let members): members.compactMap(\.cell).joined(separator: " ")
    case .record: json
    }
  }

  // Nesting is that of composite attributes: the model's, which is bounded.
  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .flag(let flag): text += flag ? "true" : "false"
    case .integer(let number): text += "\(number)"
    case .real(let number): text += number.isFinite ? "\(number)" : "null"
    case .text(let value): JSONString.append(value, to: &text)
    case .bytes(let data): text += "\"\(data.base64EncodedString())\""
    case .date(let seconds): text += seconds.isFinite ? "\"\(DateText.iso8601(seconds))\"" : "null"
    case .list(let members):
      text += "["
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        member.write(to: &text)
      }
      text += "]"
    case .record(let fields):
      text += "{"
      for (index, field) in fields.enumerated() {
        if index > 0 { text += "," }
        JSONString.append(field.name, to: &text)
        text += ":"
        field.value.write(to: &text)
      }
      text += "}"
    }
  }
}
