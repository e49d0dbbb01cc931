import DataModels
import Foundation
import PropertyLists

/// An attribute, or an element of a composite attribute, in XML stores.
struct XMLStoreField {
  /// The attribute, or the composite's element.
  let attribute: NSAttributeDescription
  /// The slot of the value in the object's row.
  let slot: Int
  /// The names leading from a composite's value to the element; empty for a plain attribute.
  let path: [String]
  /// `<attribute name="…" type="…">`, on a line of its own.
  let head: [UInt8]

  init(_ attribute: NSAttributeDescription, slot: Int, path: [String], name: String) {
    self.attribute = attribute
    self.slot = slot
    self.path = path
    head = Array(
      "\n        <attribute name=\"\(XMLStoreText.quoted(name))\" type=\"\(attribute.attributeType.xmlName)\">"
        .utf8)
  }

  private static let tail = Array("</attribute>".utf8)

  /// Appends the XML element for an object's value; nothing if the value is null.
  func append(_ value: StoredValue, to bytes: inout [UInt8]) throws {
    let value = element(of: value)
    guard !value.isNull else { return }
    bytes.append(contentsOf: head)
    try appendText(value, to: &bytes)
    bytes.append(contentsOf: Self.tail)
  }

  /// The field's part of an object's value.
  private func element(of value: StoredValue) -> StoredValue {
    guard !path.isEmpty else { return value }
    var present = value.boxed
    for name in path { present = (present as? [String: Any])?[name] }
    if let bytes = present as? UntransformedBytes { return .data(bytes.data) }
    return AttributeCodec.stored(present, type: attribute.attributeType) ?? .null
  }

  private func appendText(_ value: StoredValue, to bytes: inout [UInt8]) throws {
    switch value {
    case .null, .reference: break
    case .integer(let number): bytes.append(contentsOf: String(number).utf8)
    case .real(let number): bytes.append(contentsOf: text(number).utf8)
    case .text(let text): XMLStoreText.append(text, to: &bytes)
    case .data(let data): XMLStoreBytes.append(data, to: &bytes)
    case .box(let box):
      switch box.value {
      case let decimal as Decimal: bytes.append(contentsOf: decimal.description.utf8)
      case let uuid as UUID: bytes.append(contentsOf: uuid.uuidString.utf8)
      case let url as URL: XMLStoreText.append(url.absoluteString, to: &bytes)
      default: XMLStoreBytes.append(try box.bytes(for: attribute), to: &bytes)
      }
    }
  }

  /// Dates are written with twenty decimal places; a date that these don't reproduce exactly, and all other numbers,
  /// with the shortest digits that do.
  private func text(_ number: Double) -> String {
    switch attribute.attributeType {
    case .dateAttributeType:
      let text = String(format: "%.20f", number)
      return Double(text) == number ? text : number.description
    case .floatAttributeType: return Float(number).description
    default: return number.description
    }
  }

  // MARK: Reading

  /// The value of an element's text; nil if the text isn't valid for the type.
  func value(_ text: String) -> StoredValue? {
    let trimmed = text.trimmingXMLSpace
    switch attribute.attributeType.columnKind {
    case .integer(let range):
      return Int64(trimmed).flatMap { range.contains($0) ? StoredValue.integer($0) : nil }
    case .boolean:
      switch trimmed.lowercased() {
      case "1", "true", "yes": return .integer(1)
      case "0", "false", "no": return .integer(0)
      default: return nil
      }
    case .real:
      guard let number = Double(trimmed) else { return nil }
      return .real(attribute.attributeType == .floatAttributeType ? Double(Float(number)) : number)
    case .date: return Double(trimmed).map { StoredValue.real($0) }
    case .decimal:
      let decimal = trimmed == "NaN" ? Decimal.nan : Self.decimal(trimmed)
      return decimal.map { StoredValue.box(ValueBox($0)) }
    case .text: return .text(XMLStoreText.decode(text))
    case .url:
      // `URL` may be empty, but isn't made from an empty text. SQLite stores give null, too.
      let text = XMLStoreText.decode(text)
      return text.isEmpty ? .null : URL(string: text).map { .box(ValueBox($0)) }
    case .uuid: return UUID(uuidString: String(trimmed)).map { .box(ValueBox($0)) }
    case .bytes, .transformable: return Base64.decode(text.utf8).map { .data(Data($0)) }
    case .none: return nil
    }
  }

  /// A decimal number that must span the whole text: Foundation would accept any numeric prefix.
  private static func decimal(_ text: Substring) -> Decimal? {
    guard !text.isEmpty, text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }),
      Double(text) != nil
    else { return nil }
    return Decimal(string: String(text))
  }
}

/// Data in XML stores as Core Data writes it: base64 with a line break after 76 characters, and one at the end.
enum XMLStoreBytes {
  private static let firstLine = 76

  static func append(_ data: Data, to bytes: inout [UInt8]) {
    guard !data.isEmpty else { return }
    let text = data.base64EncodedData()
    bytes.append(contentsOf: text.prefix(firstLine))
    bytes.append(0x0A)
    guard text.count > firstLine else { return }
    bytes.append(contentsOf: text.dropFirst(firstLine))
    bytes.append(0x0A)
  }
}

extension String {
  /// The text without leading and trailing white space.
  var trimmingXMLSpace: Substring {
    var rest = self[...]
    while let first = rest.utf8.first, XMLScanner.isSpace(first) { rest.removeFirst() }
    while let last = rest.utf8.last, XMLScanner.isSpace(last) { rest.removeLast() }
    return rest
  }
}

extension NSAttributeType {
  /// The type's name in XML stores. Core Data's own files contain int16, int32, int64, string, bool, date and binary.
  var xmlName: String {
    switch self {
    case .integer16AttributeType: "int16"
    case .integer32AttributeType: "int32"
    case .integer64AttributeType: "int64"
    case .decimalAttributeType: "decimal"
    case .doubleAttributeType: "double"
    case .floatAttributeType: "float"
    case .stringAttributeType: "string"
    case .booleanAttributeType: "bool"
    case .dateAttributeType: "date"
    case .binaryDataAttributeType: "binary"
    case .UUIDAttributeType: "uuid"
    case .URIAttributeType: "uri"
    case .transformableAttributeType: "transformable"
    case .compositeAttributeType: "composite"
    case .objectIDAttributeType: "objectid"
    case .undefinedAttributeType: "undefined"
    }
  }
}
