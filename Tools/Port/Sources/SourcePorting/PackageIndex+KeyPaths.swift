import SwiftSyntax

/// What the keys of `#keyPath` refer to.
extension PackageIndex {
  /// Returns a property's name in Objective-C, if it has one of its own there, and the type that the next key refers to,
  /// if it is known.
  func property(
    _ name: String, of type: String, in module: String
  ) -> (key: String?, type: String?) {
    let paths = lineage(of: type, in: module).map { "\($0).\(name)" }
    return (
      paths.compactMap { propertyNames[$0] }.first, paths.compactMap { propertyTypes[$0] }.first
    )
  }

  /// Whether a type is known to have a property of this name.
  func hasProperty(_ name: String, in type: String, of module: String) -> Bool {
    lineage(of: type, in: module).contains { owner in
      properties[owner]?.contains(name) == true
        // A generated property is declared nowhere.
        || modelNames.classes.contains(owner) && modelNames.properties.contains(name)
          && !typeNames.contains(name)
    }
  }

  /// Returns the names of a type, as seen from a module, and its superclasses.
  private func lineage(of name: String, in module: String) -> [String] {
    var found = type(named: name, in: module)
    if found == nil, let declared = classes[name], declared.count == 1 { found = declared.first }
    return found.map { superclasses(of: $0).map(\.name) } ?? [name]
  }
}

extension TypeSyntax {
  /// The name of the type or, for an optional or a collection, of what it contains.
  var contentName: String? {
    trimmedDescription.split { "?![]<>. ".contains($0) }.last.map(String.init)
  }
}
