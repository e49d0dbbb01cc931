import DataModels

/// Writes the entities of a model as SwiftData classes.
///
/// Names become code, so no code is generated for names that aren't identifiers: a model can't inject anything but
/// declarations into a file.
struct SwiftDataSchemaWriter {
  /// A generated class.
  struct Class {
    let name: String
    let text: String
  }

  let model: NSManagedObjectModel
  /// The entities for which classes are generated, by name.
  let entities: [String: NSEntityDescription]
  private(set) var notes: [SwiftDataSchema.Note] = []
  /// The release required by the whole schema.
  var release = SwiftDataRelease.first

  init(_ model: NSManagedObjectModel) {
    self.model = model
    entities = Dictionary(
      model.entities.compactMap { entity in
        entity.name.flatMap { CodeNames.isIdentifier($0) ? ($0, entity) : nil }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Adds a note.
  mutating func note(_ message: String, on subject: String?, changesHashes: Bool = false) {
    notes.append(.init(subject: subject, message: message, changesHashes: changesHashes))
  }

  /// The name of a type, qualified with its module if a class of the schema has the same name.
  func type(_ name: String, of module: String) -> String {
    entities[name] == nil ? name : "\(module).\(name)"
  }

  mutating func classes() -> [Class] {
    for entity in model.entities where entity.name.map({ entities[$0] == nil }) ?? true {
      note(
        "the name of the entity '\(entity.name ?? "")' isn't an identifier; there is no class of it",
        on: nil, changesHashes: true)
    }
    let classes = NameOrder.sorted(entities.keys).compactMap { name in
      entities[name].map { Class(name: name, text: text(of: $0, name)) }
    }
    noteTheRest()
    return classes
  }

  /// Adds notes on content outside entities.
  private mutating func noteTheRest() {
    let requests = model.fetchRequestTemplatesByName.count
    if requests > 0 { note("SwiftData has no fetch requests in schemas (\(requests))", on: nil) }
    let validated = entities.values.reduce(0) { count, entity in
      count + entity.ownProperties.count { !$0.validationPredicates.isEmpty }
    }
    if validated > 0 {
      note("SwiftData has no validation rules (\(validated) properties have some)", on: nil)
    }
  }

  // MARK: A class

  private mutating func text(of entity: NSEntityDescription, _ name: String) -> String {
    let before = notes.count
    noteEntity(entity, name)
    let parent = entity.superentity?.name.flatMap { entities[$0] == nil ? nil : $0 }
    if parent != nil { release = .inheritance }
    let macros = constraints(of: entity, name) + indexes(of: entity, name)
    if !macros.isEmpty { release = max(release, .compoundConstraints) }
    let properties = properties(of: entity, name)
    let composites = composites(of: entity, name)
    var text = notes[before...].map { "// \(SwiftDataSchema.line($0.description))\n" }.joined()
    if parent != nil { text += SwiftDataRelease.inheritance.attribute }
    let isFinal = entity.subentities.isEmpty
    let inheritance = parent.map { ": \(CodeNames.swift($0))" } ?? ""
    text += "@Model\n\(isFinal ? "final " : "")class \(CodeNames.swift(name))\(inheritance) {\n"
    var body = macros.map { $0 + "\n" }.joined()
    if !macros.isEmpty { body += "\n" }
    body += properties.map { $0.declaration }.joined()
    if !composites.isEmpty { body += "\n" + composites }
    body += "\n" + initializer(of: entity, own: properties, hasParent: parent != nil)
    text += body.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "" : "  \($0)"
    }.joined(separator: "\n")
    return text + "}\n"
  }

  private mutating func noteEntity(_ entity: NSEntityDescription, _ name: String) {
    if entity.isAbstract {
      note("SwiftData has no abstract models", on: name, changesHashes: true)
    }
    if entity.versionHashModifier != nil {
      note("SwiftData has no hash modifiers of models", on: name, changesHashes: true)
    }
    if let old = entity.renamingIdentifier, old != name {
      note(
        "it was called '\(old)': SwiftData has no renaming of models; move the objects in a custom stage",
        on: name)
    }
  }

  /// The properties of an entity that can be expressed in code.
  private mutating func properties(
    of entity: NSEntityDescription, _ name: String
  ) -> [SwiftDataProperty] {
    let own = entity.ownProperties.sorted { NameOrder.precedes($0.name, $1.name) }
    let attributes = own.compactMap { $0 as? NSAttributeDescription }
    let relationships = own.compactMap { $0 as? NSRelationshipDescription }
    for property in own where property is NSFetchedPropertyDescription {
      note("SwiftData has no fetched properties", on: "\(name).\(property.name)")
    }
    return attributes.compactMap { self.property($0, of: entity, "\(name).\($0.name)") }
      + relationships.compactMap { self.property($0, of: entity, "\(name).\($0.name)") }
  }

  /// An initializer for properties without a default, required by `@Model` in any case.
  private func initializer(
    of entity: NSEntityDescription, own: [SwiftDataProperty], hasParent: Bool
  ) -> String {
    var writer = self
    var inherited: [SwiftDataProperty] = []
    var ancestor = hasParent ? entity.superentity : nil
    // Chains of superentities are finite, except in a damaged model.
    for _ in 0..<entities.count {
      guard let next = ancestor, let name = next.name, entities[name] != nil else { break }
      inherited += writer.properties(of: next, name).filter(\.isRequired)
      ancestor = next.superentity
    }
    let required = own.filter(\.isRequired)
    let parameters = (required + inherited).map { "\($0.name): \($0.type)" }
      .joined(separator: ", ")
    var lines = required.map { "  self.\($0.name) = \($0.name)\n" }
    if hasParent {
      let arguments = inherited.map { "\($0.name): \($0.name)" }.joined(separator: ", ")
      lines.append("  super.init(\(arguments))\n")
    }
    // Without required properties of its own, it has the signature of its parent's.
    let isOverride = hasParent && required.isEmpty
    return "\(isOverride ? "override " : "")init(\(parameters)) {\n\(lines.joined())}\n"
  }

  // MARK: Constraints and indexes

  private mutating func constraints(of entity: NSEntityDescription, _ name: String) -> [String] {
    // A property of the class itself says on its own that it is unique.
    let own = Set(entity.ownProperties.map(\.name))
    let others = entity.ownUniquenessConstraints.filter { names in
      names.count > 1 || names.contains { !own.contains($0) }
    }
    let paths = others.compactMap { keyPaths($0, of: entity, name) }
    return paths.isEmpty
      ? [] : ["#Unique<\(CodeNames.swift(name))>(\(paths.joined(separator: ", ")))"]
  }

  private mutating func indexes(of entity: NSEntityDescription, _ name: String) -> [String] {
    var paths: [String] = []
    for index in entity.indexes where !index.isSynthesized {
      let elements = index.elements
      let names = elements.compactMap { element in
        element.expressionDescription == nil ? element.propertyName : nil
      }
      let types = Set(elements.map(\.collationType))
      guard names.count == elements.count, index.partialIndexPredicate == nil, types.count == 1,
        elements.allSatisfy(\.isAscending), let found = keyPaths(names, of: entity, name)
      else {
        note(
          "SwiftData has no index like '\(index.name)': only of properties, ascending, of all objects",
          on: name)
        continue
      }
      paths.append(types.contains(.rTree) ? ".rtree(\(found))" : ".binary(\(found))")
    }
    // The short form is only for binary indexes.
    if paths.allSatisfy({ $0.hasPrefix(".binary(") }) {
      paths = paths.map { String($0.dropFirst(8).dropLast()) }
    }
    return paths.isEmpty
      ? [] : ["#Index<\(CodeNames.swift(name))>(\(paths.joined(separator: ", ")))"]
  }

  /// Whether classes have a property of a kind.
  private func hasPlace(_ property: NSPropertyDescription) -> Bool {
    switch property {
    case is NSDerivedAttributeDescription: false
    case let attribute as NSAttributeDescription:
      ![.undefinedAttributeType, .objectIDAttributeType].contains(attribute.attributeType)
    case let relationship as NSRelationshipDescription:
      relationship.destinationEntity?.name.flatMap { entities[$0] } != nil
    default: false
    }
  }

  /// Properties as key paths; nil, with a note, when one of them can't be expressed.
  private mutating func keyPaths(
    _ names: [String], of entity: NSEntityDescription, _ name: String
  ) -> String? {
    let all = entity.propertiesByName
    for property in names {
      if CodeNames.isIdentifier(property), let found = all[property], hasPlace(found) { continue }
      note("'\(property)' has no key path", on: name, changesHashes: true)
      return nil
    }
    return "[" + names.map { "\\.\(CodeNames.swift($0))" }.joined(separator: ", ") + "]"
  }
}
