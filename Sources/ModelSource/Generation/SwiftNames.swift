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

  /// The modules that the generated code may have to name, so that no class can have their names.
  var qualifyingModules: Set<String> { Set(classes.compactMap { Self.modules[$0] }) }

  /// A type of the system's, where a type is expected. Properties aren't found there.
  func type(_ name: String) -> String { classes.contains(name) ? qualified(name) : name }

  /// The beginning of an expression that creates a fetch request, in a function that declares its type.
  func fetchRequest(of type: String) -> String {
    properties.contains("NSFetchRequest") ? ".init" : "NSFetchRequest<\(type)>"
  }

  private func qualified(_ name: String) -> String {
    Self.modules[name].map { "\($0).\(name)" } ?? name
  }

  private static let modules: [String: String] = {
    let swift = [
      "Bool", "Double", "Float", "Identifiable", "Int", "Int16", "Int32", "Int64", "String",
    ]
    let foundation = ["Data", "Date", "TimeInterval", "URL", "UUID"]
    return Dictionary(
      uniqueKeysWithValues: swift.map { ($0, "Swift") } + foundation.map { ($0, "Foundation") })
  }()
}
