/// A stored property of a SwiftData class.
struct SwiftDataProperty {
  /// The name, in backticks if Swift requires them.
  let name: String
  let type: String
  /// The macro before it, such as `@Attribute(.unique)`; empty for none.
  var macro = ""
  /// The initial value of a new object; nil for none.
  var initialValue: String?

  /// Whether the initializer requires a value.
  var isRequired: Bool { initialValue == nil && !type.hasSuffix("?") }

  /// The declaration, ending with a newline.
  var declaration: String {
    let variable = "var \(name): \(type)" + (initialValue.map { " = \($0)" } ?? "") + "\n"
    guard !macro.isEmpty else { return variable }
    return macro.count + variable.count <= 96 ? "\(macro) \(variable)" : "\(macro)\n\(variable)"
  }
}
