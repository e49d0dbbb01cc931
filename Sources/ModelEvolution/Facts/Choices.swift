import ManagedModel

extension NSAttributeType {
  /// The type as a value, with the word that source files have for it.
  var modelValue: ModelValue { .choice(Int(rawValue), label) }

  /// The type a value names.
  init(modelValue: ModelValue) throws {
    guard case .choice(let number, _) = modelValue, let raw = UInt(exactly: number),
      let type = NSAttributeType(rawValue: raw)
    else { throw ValueMismatch(value: modelValue, wanted: "an attribute type") }
    self = type
  }
}

extension NSDeleteRule {
  /// The rule as a value, with the word that source files have for it.
  var modelValue: ModelValue {
    switch self {
    case .noActionDeleteRule: .choice(0, "No Action")
    case .nullifyDeleteRule: .choice(1, "Nullify")
    case .cascadeDeleteRule: .choice(2, "Cascade")
    case .denyDeleteRule: .choice(3, "Deny")
    }
  }

  /// The rule a value names.
  init(modelValue: ModelValue) throws {
    guard case .choice(let number, _) = modelValue, let raw = UInt(exactly: number),
      let rule = NSDeleteRule(rawValue: raw)
    else { throw ValueMismatch(value: modelValue, wanted: "a delete rule") }
    self = rule
  }
}
