import DataModels

extension SwiftDataSchemaWriter {
  /// The deepest nesting of composites.
  private static let deepest = 16

  /// The name of the structure generated for a composite, inside the class that has it.
  static func compositeName(
    of attribute: NSAttributeDescription, in entities: [String: NSEntityDescription]
  ) -> String {
    let name = attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
    return entities[name] == nil && name != attribute.name ? name : "\(name)Value"
  }

  /// The structures for an entity's composites.
  mutating func composites(of entity: NSEntityDescription, _ name: String) -> String {
    let composites = entity.ownProperties.compactMap { $0 as? NSCompositeAttributeDescription }
      .filter { CodeNames.isIdentifier($0.name) }
      .sorted { NameOrder.precedes($0.name, $1.name) }
    return composites.map { structure(of: $0, "\(name).\($0.name)", depth: 0) }.joined()
  }

  /// A composite as a `Codable` structure, including nested ones.
  private mutating func structure(
    of composite: NSCompositeAttributeDescription, _ subject: String, depth: Int
  ) -> String {
    guard depth < Self.deepest else {
      note("its composites are nested too deep", on: subject, changesHashes: true)
      return ""
    }
    var inner = ""
    var lines: [String] = []
    for element in composite.elements.sorted(by: { NameOrder.precedes($0.name, $1.name) }) {
      let place = "\(subject).\(element.name)"
      guard CodeNames.isIdentifier(element.name),
        element.attributeType != .transformableAttributeType,
        let type = valueType(of: element, place)
      else {
        note("it can't be coded; it is left out", on: place, changesHashes: true)
        continue
      }
      if let nested = element as? NSCompositeAttributeDescription {
        inner += structure(of: nested, place, depth: depth + 1)
      }
      lines.append(
        SwiftDataProperty(
          name: CodeNames.swift(element.name), type: element.isOptional ? "\(type)?" : type,
          initialValue: SwiftDataLiteral.text(element, in: self)
        ).declaration)
    }
    let body = (inner + lines.joined()).split(separator: "\n").map { "  \($0)\n" }.joined()
    return "struct \(Self.compositeName(of: composite, in: entities)): Codable {\n\(body)}\n"
  }
}
