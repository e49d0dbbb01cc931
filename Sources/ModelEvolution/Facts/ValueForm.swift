import DataModels
import Foundation
import PredicateFormat

/// A conversion of values of one Swift type to model values and back.
struct ValueForm<Value>: Sendable {
  let wrap: @Sendable (Value) -> ModelValue
  let unwrap: @Sendable (ModelValue) throws -> Value
}

/// A model value that doesn't have the form required by a fact.
struct ValueMismatch: Error {
  let value: ModelValue
  let wanted: String
}

extension ValueForm where Value == Bool {
  static var flag: ValueForm {
    ValueForm(wrap: { .flag($0) }) {
      guard case .flag(let flag) = $0 else { throw ValueMismatch(value: $0, wanted: "yes or no") }
      return flag
    }
  }
}

extension ValueForm where Value == Int {
  static var integer: ValueForm {
    ValueForm(wrap: { .integer(Int64($0)) }) {
      guard case .integer(let number) = $0, let number = Int(exactly: number) else {
        throw ValueMismatch(value: $0, wanted: "a whole number")
      }
      return number
    }
  }
}

extension ValueForm where Value == String? {
  /// A string, where an empty string differs from nil.
  static var exactText: ValueForm {
    ValueForm(wrap: { ModelValue.optionalText($0) }, unwrap: { try text.unwrap($0) })
  }

  /// A string, where an empty string is equivalent to nil.
  static var text: ValueForm {
    ValueForm(wrap: { $0.flatMap { $0.isEmpty ? nil : .text($0) } ?? .none }) {
      switch $0 {
      case .none: return nil
      case .text(let text): return text
      default: throw ValueMismatch(value: $0, wanted: "a text")
      }
    }
  }
}

extension ValueForm where Value == NSPredicate? {
  static var predicate: ValueForm {
    ValueForm(wrap: { $0.map { .predicate(ModelPredicate($0)) } ?? .none }) {
      switch $0 {
      case .none: return nil
      case .predicate(let value): return value.predicate
      default: throw ValueMismatch(value: $0, wanted: "a predicate")
      }
    }
  }
}

extension ValueForm where Value == DescribedExpression? {
  static var expression: ValueForm {
    ValueForm(wrap: { $0.map { .expression(ModelExpression($0)) } ?? .none }) {
      switch $0 {
      case .none: return nil
      case .expression(let value): return value.expression
      default: throw ValueMismatch(value: $0, wanted: "an expression")
      }
    }
  }
}

extension ValueForm where Value == [AnyHashable: Any]? {
  /// User info with arbitrary keys; keys and values that aren't strings are converted to their description.
  static var userInfo: ValueForm {
    ValueForm(wrap: { info in
      guard let info, !info.isEmpty else { return .none }
      let fields = info.map { (String(describing: $0.key), ModelValue(plain: $0.value)) }
      return .record(Dictionary(fields) { first, _ in first })
    }) {
      switch $0 {
      case .none: return [:]
      case .record(let fields):
        return Dictionary(uniqueKeysWithValues: fields.map { (AnyHashable($0), $1.plain as Any) })
      default: throw ValueMismatch(value: $0, wanted: "named values")
      }
    }
  }
}

extension ModelValue {
  /// Converts a property list value, number or object.
  init(plain value: Any?) {
    switch AttributeValue(value) {
    case .none: self = .none
    case .bool(let value): self = .flag(value)
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .float(let value): self = .real(Double(value))
    case .string(let value): self = .text(value)
    case .other(let box):
      switch box.value {
      case let value as Decimal: self = .decimal(value)
      case let value as Date: self = .date(value)
      case let value as Data: self = .data(value)
      case let value as UUID: self = .uuid(value)
      case let value as URL: self = .url(value)
      default: self = .object(ModelObject(box.value))
      }
    }
  }

  /// Converts back to a Swift value; nil for none and for values that only models have.
  var plain: Any? {
    switch self {
    case .flag(let value): value
    case .integer(let value): Int(exactly: value) ?? value
    case .real(let value): value
    case .decimal(let value): value
    case .text(let value): value
    case .date(let value): value
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    case .object(let value): value.object
    case .keyPath(let path): path
    case .none, .choice, .entity, .property, .list, .set, .record, .predicate, .expression: nil
    }
  }
}

extension NSAttributeType {
  /// The type as a value, with its name in source files.
  var modelValue: ModelValue { .choice(Int(rawValue), label) }

  /// Creates the type that a value represents.
  init(modelValue: ModelValue) throws {
    guard case .choice(let number, _) = modelValue, let raw = UInt(exactly: number),
      let type = NSAttributeType(rawValue: raw)
    else { throw ValueMismatch(value: modelValue, wanted: "an attribute type") }
    self = type
  }
}

extension NSDeleteRule {
  /// The rule as a value, with its name in source files.
  var modelValue: ModelValue {
    switch self {
    case .noActionDeleteRule: .choice(0, "No Action")
    case .nullifyDeleteRule: .choice(1, "Nullify")
    case .cascadeDeleteRule: .choice(2, "Cascade")
    case .denyDeleteRule: .choice(3, "Deny")
    }
  }

  /// Creates the rule that a value represents.
  init(modelValue: ModelValue) throws {
    guard case .choice(let number, _) = modelValue, let raw = UInt(exactly: number),
      let rule = NSDeleteRule(rawValue: raw)
    else { throw ValueMismatch(value: modelValue, wanted: "a delete rule") }
    self = rule
  }
}
