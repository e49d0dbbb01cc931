/// The names in a package's data models: of classes, and of what a build generates.
struct ModelNames {
  /// The names of all entities' classes.
  private(set) var classes: Set<String> = []
  /// The names of all entities' properties.
  private(set) var properties: Set<String> = []
  /// The types that generated properties of a name have, in any class: those of to-many relationships; empty for
  /// other properties.
  private(set) var generatedTypes: [String: Set<String>] = [:]
  /// The collection types that generated methods of a name, such as `addToPets`, accept.
  private(set) var generatedTakers: [String: Set<String>] = [:]

  /// Parses the texts of models' `contents` files.
  init(_ models: [String]) {
    let elements = /<(composite|entity|attribute|relationship|fetchedProperty)\b[^>]*>/
    for text in models {
      var isGenerated = false
      for match in text.matches(of: elements) {
        func value(_ attribute: String) -> String? {
          GeneratedClass.attribute(attribute, of: match.0)
        }
        switch match.1 {
        case "composite": isGenerated = false
        case "entity":
          if let name = value("representedClassName") {
            classes.insert(GeneratedClass.withoutModule(name))
          }
          isGenerated = ["class", "category"].contains(value("codeGenerationType"))
        default:
          guard let name = value("name") else { continue }
          properties.insert(name)
          guard isGenerated else { continue }
          guard value("toMany") == "YES" else {
            generatedTypes[name, default: []].insert("")
            continue
          }
          let type = value("ordered") == "YES" ? "NSOrderedSet" : "NSSet"
          generatedTypes[name, default: []].insert(type)
          for prefix in ["addTo", "removeFrom"] {
            generatedTakers[prefix + name.withCapitalInitial, default: []].insert(type)
          }
        }
      }
    }
  }
}
