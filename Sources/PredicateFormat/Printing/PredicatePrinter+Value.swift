import Foundation

extension PredicatePrinter {
  mutating func print(_ value: PredicateValue) {
    switch style {
    case .canonical: printCanonical(value)
    case .source: printSource(value)
    }
  }

  private mutating func printCanonical(_ value: PredicateValue) {
    switch value {
    case .null: write("nil")
    case .nsNull: write("<null>")
    case .bool(let flag): write(flag ? "1" : "0")
    case .integer(let number): write(String(number))
    case .unsigned(let number): write(String(number))
    case .double(let number): write(Self.numberText(number.description))
    case .float(let number): write(Self.numberText(number.description))
    case .decimal(let number): write(number.description)
    case .string(let string): write(Self.quote(string, style))
    case .date(let date):
      let seconds = String(format: "%.6f", date.timeIntervalSinceReferenceDate)
      write("CAST(\(seconds), \"NSDate\")")
    case .data(let data): write("<" + data.map { Self.hex($0) }.joined() + ">")
    case .uuid(let uuid): write(uuid.uuidString)
    case .url(let url): write(url.absoluteString)
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      write("{")
      for (index, element) in elements.enumerated() {
        if index > 0 { write(", ") }
        print(element)
      }
      write("}")
    case .dictionary(let entries):
      write("{")
      for (index, entry) in entries.enumerated() {
        if index > 0 { write(", ") }
        print(entry.key)
        write(" = ")
        print(entry.value)
      }
      write("}")
    case .className(let name): write(name)
    case .object(let object): write(object.description)
    }
  }

  /// Prints values that have a literal as that literal, and others as arguments.
  private mutating func printSource(_ value: PredicateValue) {
    switch value {
    case .null, .integer, .unsigned, .string: printCanonical(value)
    case .bool(let flag): write(flag ? "TRUE" : "FALSE")
    case .double(let number) where number.isFinite: write(number.description)
    default: write(argument: value)
    }
  }

  /// A number as described by `NSNumber`: a whole double has no fraction.
  private static func numberText(_ description: String) -> String {
    description.hasSuffix(".0") ? String(description.dropLast(2)) : description
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }

  /// A string literal. The canonical form escapes only quotes and backslashes; the source form also escapes control
  /// characters.
  static func quote(_ string: String, _ style: PrintStyle) -> String {
    var quoted = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n" where style == .source: quoted += "\\n"
      case "\t" where style == .source: quoted += "\\t"
      case "\r" where style == .source: quoted += "\\r"
      case let control where style == .source && control.value < 0x20:
        quoted += "\\u00" + hex(UInt8(truncatingIfNeeded: control.value))
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
