import DataModels
import Foundation
import PredicateFormat

/// Converts between values and their text in a source.
struct AttributeText {
  /// How well a text represents a value.
  enum Fit: Equatable {
    /// Exactly.
    case exact
    /// Not exactly, or not at all. The string describes what is wrong, and which value is used instead: momc interprets
    /// invalid text by the rules of Cocoa's `integerValue`, `doubleValue` and `boolValue`.
    case inexact(String)
  }

  var value: AttributeValue
  var fit = Fit.exact

  /// Parses a default value, a minimum or a maximum of an attribute.
  init(_ text: String, type: NSAttributeType) {
    switch type {
    case .integer16AttributeType: self = Self.integer(text, Int64(Int16.min)...Int64(Int16.max))
    case .integer32AttributeType: self = Self.integer(text, Int64(Int32.min)...Int64(Int32.max))
    case .integer64AttributeType: self = Self.integer(text, Int64.min...Int64.max)
    case .doubleAttributeType: self = Self.real(text) { .double($0) }
    case .floatAttributeType: self = Self.real(text) { .float(Float($0)) }
    case .decimalAttributeType: self = Self.decimal(text)
    case .booleanAttributeType: self = Self.boolean(text)
    case .stringAttributeType: self.init(value: .string(text))
    case .UUIDAttributeType: self = Self.uuid(text)
    case .URIAttributeType: self = Self.url(text)
    case .undefinedAttributeType, .dateAttributeType, .binaryDataAttributeType,
      .transformableAttributeType, .objectIDAttributeType, .compositeAttributeType:
      self.init(value: .none)
    }
  }

  private init(value: AttributeValue, fit: Fit = .exact) {
    self.value = value
    self.fit = fit
  }

  // MARK: Numbers

  /// Parses like Cocoa's `integerValue`: white space, a sign, and digits; the rest is ignored, and other text is 0. A
  /// number out of the type's range is clamped.
  private static func integer(_ text: String, _ range: ClosedRange<Int64>) -> Self {
    if text.isEmpty { return Self(value: .integer(0)) }
    let leading = LeadingNumber.integer(of: text)
    let number = min(max(leading.value, range.lowerBound), range.upperBound)
    let fit: Fit =
      if !leading.hasDigits {
        .inexact("'\(text)' is not an integer; it counts as 0")
      } else if leading.isClamped || number != leading.value {
        .inexact(
          "\(text) is not between \(range.lowerBound) and \(range.upperBound); it counts as \(number)"
        )
      } else if !leading.isWhole {
        .inexact("'\(text)' is not an integer; it counts as \(number)")
      } else {
        .exact
      }
    return Self(value: .integer(number), fit: fit)
  }

  /// Parses like Cocoa's `doubleValue`: the number at the start, or else 0.
  private static func real(_ text: String, _ make: (Double) -> AttributeValue) -> Self {
    if text.isEmpty { return Self(value: make(0)) }
    if let number = Double(text.trimmingPrefix(while: \.isWhitespace)), number.isFinite {
      return Self(value: make(number))
    }
    let number = LeadingNumber.finite(text)
    return Self(
      value: make(number), fit: .inexact("'\(text)' is not a number; it counts as \(number)"))
  }

  private static func decimal(_ text: String) -> Self {
    if text.isEmpty { return Self(value: AttributeValue(Decimal(0))) }
    if let number = DecimalText.decimal(text) {
      return Self(value: .other(AttributeValue.Box(number)))
    }
    let number = LeadingNumber.decimal(of: text).flatMap { $0.isNaN ? nil : $0 } ?? 0
    return Self(
      value: .other(AttributeValue.Box(number)),
      fit: .inexact(
        "'\(text)' is not a decimal number of at most 38 digits; it counts as \(number)"))
  }

  // MARK: Other values

  /// Parses like Cocoa's `boolValue`.
  static func boolValue(_ text: String) -> Bool {
    let significant = text.drop { $0.isWhitespace || $0 == "+" || $0 == "-" || $0 == "0" }.first
    return significant.map { "YyTt123456789".contains($0) } ?? false
  }

  private static func boolean(_ text: String) -> Self {
    switch text {
    case "YES", "true", "1": return Self(value: .bool(true))
    case "NO", "false", "0", "": return Self(value: .bool(false))
    default:
      let isTrue = boolValue(text)
      return Self(
        value: .bool(isTrue),
        fit: .inexact("'\(text)' is neither YES nor NO; it counts as \(isTrue ? "YES" : "NO")"))
    }
  }

  private static func uuid(_ text: String) -> Self {
    if text.isEmpty { return Self(value: .none) }
    guard let uuid = UUID(uuidString: text) else {
      return Self(value: .none, fit: .inexact("'\(text)' is not a UUID; it counts as none"))
    }
    return Self(value: .other(AttributeValue.Box(uuid)))
  }

  private static func url(_ text: String) -> Self {
    if text.isEmpty { return Self(value: .none) }
    guard let url = URL(string: text) else {
      return Self(value: .none, fit: .inexact("'\(text)' is not a URL; it counts as none"))
    }
    return Self(value: .other(AttributeValue.Box(url)))
  }
}

extension AttributeText {
  /// The text for a value of an attribute; nil when sources can't represent it. Infinity and what is no number would be
  /// read as 0.
  static func text(of value: AttributeValue, type: NSAttributeType) -> String? {
    switch value {
    case .none: nil
    case .bool(let value):
      type == .booleanAttributeType ? (value ? "YES" : "NO") : value ? "1" : "0"
    case .integer(let value):
      // Store caches have integer defaults for Boolean attributes.
      type == .booleanAttributeType ? (value == 0 ? "NO" : "YES") : "\(value)"
    case .double(let value): value.isFinite ? "\(value)" : nil
    case .float(let value): value.isFinite ? "\(value)" : nil
    case .string(let value): value
    case .other(let box):
      switch box.value {
      case let value as Decimal: value.isNaN ? nil : DecimalText.text(value)
      case let value as UUID: value.uuidString
      case let value as URL: value.absoluteString
      default: nil
      }
    }
  }

  /// The text for a number of seconds, without a fraction if it is whole.
  static func text(ofInterval interval: Double) -> String {
    Int64(exactly: interval).map { "\($0)" } ?? "\(interval)"
  }
}

extension NSAttributeType {
  /// The names of the types that sources support, in Xcode's order.
  static let sourceNames = allCases.compactMap(\.traits.sourceName)

  /// Creates the type with a name in sources.
  init?(sourceName name: String) {
    guard let type = Self.bySourceName[name] else { return nil }
    self = type
  }

  /// The type's name in sources; nil for the undefined type.
  var sourceName: String? { traits.sourceName }
}
