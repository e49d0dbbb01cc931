import DataModels
import Foundation

/// Formats default values as Swift.
enum SwiftDataLiteral {
  /// The expression for an attribute's default; nil for none, and for values that can't be expressed.
  static func text(_ attribute: NSAttributeDescription, in schema: SwiftDataSchemaWriter) -> String?
  {
    switch (attribute.attributeType.traits.kind, attribute.swiftDefaultValue) {
    case (.integer, let number as Int): integer(number, attribute.attributeType)
    case (.decimal, let number as Decimal):
      number.isNaN
        ? "\(schema.type("Decimal", of: "Foundation")).nan"
        : "\(schema.type("Decimal", of: "Foundation"))(string: \"\(number)\") ?? 0"
    case (.real, let number as Double): real(number, schema.type("Double", of: "Swift"))
    case (.real, let number as Float): real(number, schema.type("Float", of: "Swift"))
    case (.text, let text as String): CodeNames.literal(text)
    case (.boolean, let flag as Bool): flag ? "true" : "false"
    case (.date, let date as Date):
      "\(schema.type("Date", of: "Foundation"))"
        + "(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
    case (.bytes, let bytes as Data):
      bytes.isEmpty
        ? "\(schema.type("Data", of: "Foundation"))()"
        : "\(schema.type("Data", of: "Foundation"))(base64Encoded: "
          + "\"\(bytes.base64EncodedString())\")" + orElse("Data()", for: attribute, in: schema)
    case (.uuid, let uuid as UUID):
      "\(schema.type("UUID", of: "Foundation"))(uuidString: \"\(uuid.uuidString)\")"
        + orElse("UUID()", for: attribute, in: schema)
    case (.url, let url as URL):
      "\(schema.type("URL", of: "Foundation"))(string: \(CodeNames.literal(url.absoluteString)))"
        + orElse("URL(filePath: \"/\")", for: attribute, in: schema)
    default: nil
    }
  }

  /// The fallback required by a failable initializer for a non-optional value; never used, since the text is valid.
  private static func orElse(
    _ value: String, for attribute: NSAttributeDescription, in schema: SwiftDataSchemaWriter
  ) -> String {
    guard !attribute.isOptional else { return "" }
    let name = String(value.prefix { $0 != "(" })
    return " ?? " + schema.type(name, of: "Foundation") + value.dropFirst(name.count)
  }

  private static func integer(_ number: Int, _ type: NSAttributeType) -> String? {
    switch type {
    case .integer16AttributeType: Int16(exactly: number).map { "\($0)" }
    case .integer32AttributeType: Int32(exactly: number).map { "\($0)" }
    default: "\(number)"
    }
  }

  private static func real(
    _ number: some BinaryFloatingPoint & LosslessStringConvertible, _ type: String
  )
    -> String
  {
    if number.isNaN { return "\(type).nan" }
    if number.isInfinite { return number < 0 ? "-\(type).infinity" : "\(type).infinity" }
    return "\(number)"
  }
}
