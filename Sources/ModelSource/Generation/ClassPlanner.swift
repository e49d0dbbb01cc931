import DataModels

/// Decides which classes are generated, and with which properties.
///
/// Names become code, so no code is generated for names that aren't identifiers: a source can't inject anything but
/// declarations into the generated files. Nor is there any for names that no compiler would accept (`+Names`).
struct ClassPlanner {
  let index: DeclarationIndex
  let language: ClassGenerationOptions.Language
  private let selection: ClassGenerationOptions.Selection
  let namedModules: Set<String>
  var log: DiagnosticLog

  init(_ model: ModelDeclaration, document: SourceDocument, options: ClassGenerationOptions) {
    index = DeclarationIndex(model)
    language = options.language
    selection = options.selection
    namedModules = language == .swift ? SwiftNames(model).qualifyingModules : []
    log = DiagnosticLog(document)
  }

  mutating func classes() -> [GeneratedClass] {
    var classes: [GeneratedClass] = []
    let numbers = index.model.entities.indices.sorted {
      XcodeNameOrder.precedes(index.model.entities[$0].name, index.model.entities[$1].name)
    }
    let owners = owners(among: numbers)
    for number in numbers {
      let entity = index.model.entities[number]
      guard isSelected(entity), let text = entity.className else { continue }
      let subject = DiagnosticSubject(entity.element, entity: entity.name)
      // The class for objects of any entity doesn't need to be generated.
      guard CodeNames.className(text) != Self.anyObject else { continue }
      guard let name = className(of: entity) else {
        log.add(
          .invalidName, about: subject, at: "representedClassName", severity: .warning,
          "\(trouble(withClass: text)); no class is generated")
        continue
      }
      if let owner = owners[name], owner != number {
        log.add(
          .duplicateName, about: subject, at: "representedClassName", severity: .warning,
          "the class '\(name)' is also that of '\(index.model.entities[owner].name)', and is generated only for"
            + " that one")
        continue
      }
      let parent = superclass(of: name, for: number)
      let parentOwner = parent.flatMap { owners[$0] }.map { index.model.entities[$0] }
      classes.append(
        GeneratedClass(
          entity: entity.name, name: name, superclass: parent ?? Self.anyObject,
          inheritsFromEntity: parent != nil, isSuperclassWhole: parentOwner.map(isWhole) ?? false,
          isWhole: isWhole(entity), properties: properties(of: number)))
    }
    return classes
  }

  /// The entity that each class is generated for: of several, the one nearest the root, since a subentity that shares
  /// its class would otherwise make the class its own superclass; of those, the first.
  private func owners(among numbers: [Int]) -> [String: Int] {
    var owners: [String: (number: Int, depth: Int)] = [:]
    for number in numbers where isSelected(index.model.entities[number]) {
      guard let name = className(of: index.model.entities[number]) else { continue }
      let depth = index.depth(of: number)
      if let owner = owners[name], owner.depth <= depth { continue }
      owners[name] = (number, depth)
    }
    return owners.mapValues(\.number)
  }

  /// The class of the nearest superentity that doesn't share the class; nil if that names none.
  private func superclass(of name: String, for number: Int) -> String? {
    var next = index.parents[number]
    while let current = next {
      let parent = className(of: index.model.entities[current])
      guard parent == name else { return parent }
      next = index.parents[current]
    }
    return nil
  }

  private func isSelected(_ entity: EntityDeclaration) -> Bool {
    selection == .all || entity.codeGeneration != .manual
  }

  private func isWhole(_ entity: EntityDeclaration) -> Bool {
    selection == .all || entity.codeGeneration == .wholeClass
  }

  // MARK: Properties

  private mutating func properties(of number: Int) -> [GeneratedProperty] {
    let entity = index.model.entities[number]
    var attributes: [GeneratedProperty] = []
    for attribute in entity.attributes where isUsable(attribute, in: number) {
      attributes.append(
        GeneratedProperty(
          name: attribute.name,
          kind: .attribute(
            attribute.type, usesScalar: attribute.usesScalar ?? false,
            customClass: attribute.customClassName.flatMap { $0.isEmpty ? nil : $0 })))
    }
    var relationships: [GeneratedProperty] = []
    for relationship in entity.relationships where isUsable(relationship, in: number) {
      let target = destinationClass(relationship.destination)
      relationships.append(
        GeneratedProperty(
          name: relationship.name,
          kind: relationship.isToMany
            ? .toMany(target, isOrdered: relationship.isOrdered) : .toOne(target)))
    }
    for property in entity.fetchedProperties where isUsable(property, in: number) {
      relationships.append(
        GeneratedProperty(
          name: property.name, kind: .fetched(destinationClass(property.fetchRequest?.entity))))
    }
    return [attributes, withoutClashes(relationships, of: entity)].flatMap { properties in
      properties.sorted { XcodeNameOrder.precedes($0.name, $1.name) }
    }
  }

  private func destinationClass(_ entity: String?) -> String {
    entity.flatMap { index.entity($0) }.flatMap(className(of:)) ?? Self.anyObject
  }
}
