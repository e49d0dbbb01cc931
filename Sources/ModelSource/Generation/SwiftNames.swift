/// The names that a model's generated classes hide from each other's code, which then names modules as well.
///
/// A model with a class `Date` has attributes of type `Foundation.Date`; Xcode's own code would refer to the class.
struct SwiftNames: Sendable {
  private let classes: Set<String>
  private let properties: Set<String>

  init(_ model: ModelDeclaration) {
    classes = Set(model.entities.compactMap { $0.className.flatMap(CodeNames.className) })
    properties = Set(
      model.entities.flatMap { entity in
        entity.attributes.map(\.name) + entity.relationships.map(\.name)
          + entity.fetchedProperties.map(\.name)
      })
  }

  /// A type of the system's, where a type is expected.
  func type(_ name: String) -> String { classes.contains(name) ? qualified(name) : name }

  /// A type or function of the system's in an expression, where the names of properties are found first.
  func value(_ name: String) -> String {
    classes.contains(name) || properties.contains(name) ? qualified(name) : name
  }

  private func qualified(_ name: String) -> String {
    Self.modules[name].map { "\($0).\(name)" } ?? name
  }

  private static let modules: [String: String] = {
    let swift = [
      "Bool", "Double", "Float", "Identifiable", "Int", "Int16", "Int32", "Int64", "String", "zip",
    ]
    let foundation = ["Data", "Date", "TimeInterval", "URL", "UUID"]
    return Dictionary(
      uniqueKeysWithValues: swift.map { ($0, "Swift") } + foundation.map { ($0, "Foundation") })
  }()
}
