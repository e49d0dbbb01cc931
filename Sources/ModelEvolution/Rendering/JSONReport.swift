import DataModels
import Foundation

/// A report as plain data, written as deterministic JSON with sorted keys.
public indirect enum JSONReport: Hashable, Sendable {
  case null
  case flag(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([JSONReport])
  case object([String: JSONReport])

  /// The indented JSON document, ending with a newline.
  public var document: String {
    var compact: [UInt8] = []
    append(to: &compact)
    return JSONText.indented(compact)
  }

  /// An object without null fields.
  static func compact(_ fields: [String: JSONReport]) -> JSONReport {
    .object(fields.filter { $0.value != .null })
  }

  /// A string, or null for nil.
  static func optional(_ text: String?) -> JSONReport { text.map(JSONReport.text) ?? .null }

  // The recursion follows reports and model values, whose depth is bounded.
  private func append(to text: inout [UInt8]) {
    switch self {
    case .null: text += "null".utf8
    case .flag(let value): text += (value ? "true" : "false").utf8
    case .integer(let value): text += String(value).utf8
    case .number(let value): text += (value.isFinite ? String(value) : "null").utf8
    case .text(let value): JSONText.append(value, to: &text)
    case .array(let values):
      JSONText.append(values, in: JSONText.array, to: &text) { $0.append(to: &$1) }
    case .object(let fields):
      let sorted = fields.sorted { $0.key < $1.key }
      JSONText.append(sorted, in: JSONText.object, to: &text) { field, text in
        JSONText.append(field.key, to: &text)
        text.append(UInt8(ascii: ":"))
        field.value.append(to: &text)
      }
    }
  }
}

extension ModelValue {
  /// The value as JSON: numbers and strings as they are, other values as strings.
  var json: JSONReport {
    switch self {
    case .none: .null
    case .flag(let value): .flag(value)
    case .integer(let value): .integer(value)
    case .real(let value): .number(value)
    case .text(let value): .text(value)
    case .data(let value): .text(value.base64EncodedString())
    case .list(let values), .set(let values): .array(values.map(\.json))
    case .record(let fields): .object(fields.mapValues(\.json))
    case .decimal, .date, .uuid, .url, .choice, .entity, .property, .keyPath, .predicate,
      .expression,
      .object:
      .text(description)
    }
  }
}

extension ModelPath {
  /// The components of the path as JSON.
  var json: JSONReport {
    switch self {
    case .model: .object([:])
    case .entity(let name): .object(["entity": .text(name)])
    case .property(let name, let entity):
      .object(["entity": .text(entity), "property": .text(name)])
    case .index(let name, let entity): .object(["entity": .text(entity), "index": .text(name)])
    case .fetchRequest(let name): .object(["fetchRequest": .text(name)])
    case .configuration(let name): .object(["configuration": .text(name)])
    }
  }
}
