import DataModels
import Foundation

/// SQL literals.
enum SQLLiteral {
  /// A quoted identifier, such as the name of a table or column.
  static func name(_ name: String) -> String { "\"\(name.replacing(scalar: "\"", with: "\"\""))\"" }

  /// The SQL of an attribute's default value as stored in its column; nil if there is no default.
  ///
  /// - Throws: an `NSError` for a transformable value that can't be archived.
  static func defaultValue(of attribute: NSAttributeDescription) throws -> String? {
    let type = attribute.attributeType
    guard let stored = AttributeCodec.stored(attribute.defaultValue, type: type) else { return nil }
    switch stored {
    case .null, .reference: return nil
    case .integer(let number): return "\(number)"
    case .real(let number): return number.isFinite ? "\(number)" : nil
    case .text(let text): return self.text(text)
    case .data(let data):
      return attribute.allowsExternalBinaryDataStorage ? blob(Data([1]) + data) : blob(data)
    case .box(let box): return try boxed(box.value, attribute)
    }
  }

  private static func boxed(
    _ value: Any, _ attribute: NSAttributeDescription
  ) throws -> String? {
    switch attribute.attributeType.columnKind {
    case .decimal: (value as? Decimal).flatMap { Double($0.description) }.map { "\($0)" }
    case .uuid: (value as? UUID).map { blob(Data($0.bytes)) }
    case .url: (value as? URL).map { text($0.absoluteString) }
    case .transformable: blob(try AttributeTransformer.data(of: value, for: attribute))
    // Values of these types aren't boxed.
    case .integer, .boolean, .real, .date, .text, .bytes, .none: nil
    }
  }

  /// A string literal; a string with NUL characters is written as bytes, since NUL terminates a statement's text.
  static func text(_ text: String) -> String {
    text.utf8.contains(0)
      ? "CAST(\(blob(Data(text.utf8))) AS TEXT)" : "'\(text.replacing(scalar: "'", with: "''"))'"
  }

  /// A blob literal.
  static func blob(_ data: Data) -> String {
    let digits = Array("0123456789abcdef")
    var text = "x'"
    for byte in data {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text + "'"
  }
}
