import DataModels
import Foundation

/// A value of a store's row as plain data, for output as JSON or text.
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

  /// The value as JSON on a single line: bytes as base64, dates as ISO 8601 with full precision, and numbers that
  /// JSON doesn't support by name.
  package var json: String {
    var text = ListedText()
    write(to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// The value as a table cell; nil if there is none. List members are separated by spaces.
  package var cell: String? {
    var text = ListedText()
    switch self {
    case .null: return nil
    case .text(let value): return value
    case .list(let members): return members.compactMap(\.cell).joined(separator: " ")
    case .record: return json
    case .flag(let flag): text.append(flag)
    case .integer(let number): text.append(number)
    case .real(let number): text.append(number, quoted: false)
    case .bytes(let data): text.append(base64: data, quoted: false)
    case .date(let seconds): text.append(date: seconds, quoted: false)
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  // Recursion is bounded: nesting comes from composite attributes in the model, and from decoded blobs, whose depth
  // is limited.
  func write(to text: inout ListedText) {
    switch self {
    case .null: text.append(ListedText.null)
    case .flag(let flag): text.append(flag)
    case .integer(let number): text.append(number)
    case .real(let number): text.append(number, quoted: true)
    case .text(let value): text.append(json: value.utf8)
    case .bytes(let data): text.append(base64: data, quoted: true)
    case .date(let seconds): text.append(date: seconds, quoted: true)
    case .list(let members):
      text.append(UInt8(ascii: "["))
      for (index, member) in members.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        member.write(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .record(let fields):
      text.append(UInt8(ascii: "{"))
      for (index, field) in fields.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        text.append(json: field.name.utf8)
        text.append(UInt8(ascii: ":"))
        field.value.write(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }
}
