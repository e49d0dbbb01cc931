/// A stored property of a class of SwiftData.
struct SwiftDataProperty {
  /// The name, in backticks where Swift asks for them.
  let name: String
  let type: String
  /// The macro before it, as `@Attribute(.unique)`; empty for none.
  var macro = ""
  /// The value a new object starts with; nil for none.
  var initialValue: String?

  /// Whether the initializer has to be given a value.
  var isRequired: Bool { initialValue == nil && !type.hasSuffix("?") }

  /// The declaration, with the end of its line.
  var declaration: String {
    let variable = "var \(name): \(type)" + (initialValue.map { " = \($0)" } ?? "") + "\n"
    guard !macro.isEmpty else { return variable }
    return macro.count + variable.count <= 96 ? "\(macro) \(variable)" : "\(macro)\n\(variable)"
  }
}
