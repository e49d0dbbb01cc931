import DataModels

/// Aligns a source with the names and locations that its entities and properties have in another source: elements that
/// were renamed or moved are placed at their new location, so that trees of different sources can be compared by name.
///
/// New names are given only to the elements themselves, and to those that are identified by the entities or properties
/// they name: members of configurations, elements of indexes, and constraints. Other references are unchanged, since they are written from the model.
enum SourceAlignment {
  static func aligned(_ root: SourceElement, _ names: ModelNames) -> SourceElement {
    guard !names.isEmpty else { return root }
    var result = root
    var moved: [(home: String, property: SourceElement)] = []
    var renamed: [SourceElement] = []
    result.children = []
    let parents = Dictionary(
      root.children.filter { $0.name == "entity" }.compactMap { entity in
        entity["name"].flatMap { name in entity["parentEntity"].map { (name, $0) } }
      }, uniquingKeysWith: { first, _ in first })
    for child in root.children {
      guard child.name == "entity", let name = child["name"] else {
        result.children.append(
          ["elements", "configuration"].contains(child.name)
            ? aligned(mentions: child, names) : child)
        continue
      }
      var entity = child
      let goal = names.entities[name] ?? name
      align(&entity, named: name, to: goal, names: names, moved: &moved)
      if entity.children.contains(where: \.mentionsProperties) {
        alignMentions(in: &entity, lineage(of: name, parents), names)
      }
      if goal == name {
        result.children.append(entity)
      } else {
        entity["name"] = goal
        renamed.append(entity)
      }
    }
    for entity in renamed { XcodeOrder.insert(entity, into: &result) }
    var places = result.children.placesByIdentity
    for (home, property) in moved {
      var entity = SourceElement("entity", [SourceAttribute("name", home)])
      if places[SourceIdentity(entity)] == nil {
        XcodeOrder.insert(entity, into: &result)
        places = result.children.placesByIdentity
      }
      guard let place = places[SourceIdentity(entity)] else { continue }
      entity = result.children[place]
      XcodeOrder.insert(property, into: &entity)
      result.children[place] = entity
    }
    return result
  }

  /// An entity and its ancestors, as far as the source has them; each once.
  private static func lineage(of entity: String, _ parents: [String: String]) -> [String] {
    var (lineage, met) = ([entity], Set([entity]))
    while let parent = lineage.last.flatMap({ parents[$0] }), met.insert(parent).inserted {
      lineage.append(parent)
    }
    return lineage
  }

  /// Updates the names of properties in an entity's indexes and constraints.
  private static func alignMentions(
    in element: inout SourceElement, _ lineage: [String], _ names: ModelNames
  ) {
    for place in element.children.indices {
      if element.children[place].mentionsProperties {
        alignMentions(in: &element.children[place], lineage, names)
        continue
      }
      let key: String
      switch element.children[place].name {
      case "fetchIndexElement": key = "property"
      case "constraint", "index": key = "value"
      default: continue
      }
      guard let name = element.children[place][key] else { continue }
      let goals = lineage.lazy.compactMap { names.properties[ModelNames.Property(name, of: $0)] }
      if let goal = goals.first, goal.name != name { element.children[place][key] = goal.name }
    }
  }

  private static func align(
    _ entity: inout SourceElement, named name: String, to goal: String, names: ModelNames,
    moved: inout [(home: String, property: SourceElement)]
  ) {
    var renamed: [SourceElement] = []
    let children = entity.children
    guard children.contains(where: { other($0, of: name, names) != nil }) else { return }
    entity.children = []
    for child in children {
      guard let place = other(child, of: name, names) else {
        entity.children.append(child)
        continue
      }
      var property = child
      property["name"] = place.name
      if place.entity != goal {
        moved.append((place.entity, property))
      } else if place.name == child["name"] {
        entity.children.append(property)
      } else {
        renamed.append(property)
      }
    }
    for property in renamed { XcodeOrder.insert(property, into: &entity) }
  }

  /// The location of an entity's child in the other source; nil if it isn't a property or hasn't moved.
  private static func other(
    _ child: SourceElement, of entity: String, _ names: ModelNames
  ) -> ModelNames.Property? {
    switch child.name {
    case "attribute", "relationship", "fetchedProperty":
      child["name"].flatMap { names.properties[ModelNames.Property($0, of: entity)] }
    default: nil
    }
  }

  /// Updates the names of entities in the editor's layout, or in a configuration.
  private static func aligned(
    mentions container: SourceElement, _ names: ModelNames
  ) -> SourceElement {
    var result = container
    result.children = []
    var renamed: [SourceElement] = []
    for child in container.children {
      guard let goal = child["name"].flatMap({ names.entities[$0] }) else {
        result.children.append(child)
        continue
      }
      var element = child
      element["name"] = goal
      renamed.append(element)
    }
    for element in renamed { XcodeOrder.insert(element, into: &result) }
    return result
  }
}

extension SourceElement {
  /// Whether its children are identified by the properties they name.
  fileprivate var mentionsProperties: Bool {
    switch name {
    case "fetchIndex", "uniquenessConstraints", "uniquenessConstraint", "compoundIndexes",
      "compoundIndex":
      true
    default: false
    }
  }
}
