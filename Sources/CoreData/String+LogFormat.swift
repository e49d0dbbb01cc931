#if !canImport(ObjectiveC)
  import Foundation

  extension String {
    /// The text of an `os_log` message: its format with the arguments filled in.
    ///
    /// Privacy and types in braces have no effect. The values' own types decide how they are printed, and the format
    /// how many digits they have, so that a format that doesn't match its arguments is harmless. What can't be read as
    /// a specifier stays as it is; a specifier without an argument becomes `<missing>`.
    ///
    /// ```swift
    /// String(logFormat: "%{public}@ took %.2f s", arguments: ["Import", 1.239])  // Import took 1.24 s
    /// ```
    public init(logFormat format: String, arguments: [Any]) {
      var arguments = arguments[...]
      var text = ""
      var rest = format[...]
      while let percent = rest.firstIndex(of: "%") {
        text += rest[..<percent]
        rest = rest[percent...]
        if let specifier = LogSpecifier(&rest, &arguments) {
          text += specifier.text(&arguments)
        } else {
          text.append(rest.removeFirst())
        }
      }
      self = text + rest
    }
  }

  /// A specifier of a format: `%d`, `%{public}@`, `%-8.3f`.
  private struct LogSpecifier {
    private var flags = ""
    private var width: Int?
    private var precision: Int?
    private var conversion: Character

    /// The greatest width and number of digits that are used: a format may ask for any.
    private static let limit = 1000

    /// Reads the specifier at the beginning of a text, and removes it. A star takes its number from the arguments.
    init?(_ text: inout Substring, _ arguments: inout ArraySlice<Any>) {
      var rest = text.dropFirst()
      var left = arguments
      if rest.first == "{" {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        rest = rest[end...].dropFirst()
      }
      flags = Self.take(&rest, while: "-+ #0'".contains)
      width = Self.number(&rest, &left)
      if rest.first == "." {
        rest.removeFirst()
        // A negative number of digits counts as none given.
        precision = Optional(Self.number(&rest, &left) ?? 0).flatMap { $0 < 0 ? nil : $0 }
      }
      _ = Self.take(&rest, while: "hljztLq".contains)
      guard let conversion = rest.popFirst(), "@dDiuUxXoOcCsSpPfFeEgGaAm%".contains(conversion)
      else { return nil }
      self.conversion = conversion
      text = rest
      arguments = left
    }

    private static func take(
      _ text: inout Substring, while isIncluded: (Character) -> Bool
    ) -> String {
      let taken = text.prefix(while: isIncluded)
      text = text[taken.endIndex...]
      return String(taken)
    }

    private static func number(
      _ text: inout Substring, _ arguments: inout ArraySlice<Any>
    ) -> Int? {
      if text.first == "*" {
        text.removeFirst()
        return (arguments.popFirst() as? any BinaryInteger).map {
          max(-limit, min(Int(clamping: $0), limit))
        }
      }
      let digits = take(&text) { $0.isASCII && $0.isNumber }
      return digits.isEmpty ? nil : min(Int(digits) ?? limit, limit)
    }

    func text(_ arguments: inout ArraySlice<Any>) -> String {
      if conversion == "%" { return "%" }
      if conversion == "m" { return padded(String(cString: strerror(errno))) }
      guard let argument = arguments.popFirst() else { return "<missing>" }
      return padded(text(of: argument))
    }

    private func text(of argument: Any) -> String {
      switch argument {
      case let integer as any BinaryInteger: return text(ofInteger: integer)
      case let number as any BinaryFloatingPoint: return text(ofNumber: Double(number))
      case let bytes as UnsafePointer<CChar> where conversion == "s":
        return cut(String(cString: bytes))
      case let value as any OptionalLogValue: return value.wrapped.map { text(of: $0) } ?? "(null)"
      default: return conversion == "s" ? cut("\(argument)") : "\(argument)"
      }
    }

    private func cut(_ text: String) -> String { precision.map { String(text.prefix($0)) } ?? text }

    private func text<Number: BinaryInteger>(ofInteger number: Number) -> String {
      let digits: String
      switch conversion {
      case "x", "X", "o", "O", "p":
        let radix = "oO".contains(conversion) ? 8 : 16
        // Negative numbers are printed as the bits of their type.
        let bits = UInt64(truncatingIfNeeded: number)
        let unused = max(0, 64 - number.bitWidth)
        let text = String((bits << unused) >> unused, radix: radix, uppercase: conversion == "X")
        digits = (conversion == "p" || flags.contains("#") && radix == 16 ? "0x" : "") + text
      case "f", "F", "e", "E", "g", "G", "a", "A": return text(ofNumber: Double(number))
      case "c", "C":
        return UInt32(exactly: number).flatMap(Unicode.Scalar.init).map { "\($0)" } ?? "\(number)"
      default: digits = "\(number)"
      }
      let sign =
        digits.hasPrefix("-") ? "-" : flags.contains("+") ? "+" : flags.contains(" ") ? " " : ""
      let plain = digits.hasPrefix("-") ? digits.dropFirst() : digits[...]
      return sign + String(repeating: "0", count: max(0, (precision ?? 0) - plain.count)) + plain
    }

    private func text(ofNumber number: Double) -> String {
      guard "fFeEgGaA".contains(conversion) else { return "\(number)" }
      let sign = flags.filter { "+ #".contains($0) }
      return String(format: "%\(sign)\(precision.map { ".\($0)" } ?? "")\(conversion)", number)
    }

    private func padded(_ text: String) -> String {
      guard let width, text.count < abs(width) else { return text }
      let missing = abs(width) - text.count
      if flags.contains("-") || width < 0 { return text + String(repeating: " ", count: missing) }
      guard flags.contains("0"), precision == nil || "fFeEgGaA".contains(conversion),
        conversion != "@"
      else { return String(repeating: " ", count: missing) + text }
      let sign = text.prefix { "+- ".contains($0) }
      return sign + String(repeating: "0", count: missing) + text.dropFirst(sign.count)
    }
  }

  /// An optional argument of unknown type.
  private protocol OptionalLogValue {
    var wrapped: Any? { get }
  }

  extension Optional: OptionalLogValue {
    fileprivate var wrapped: Any? { self }
  }
#endif
