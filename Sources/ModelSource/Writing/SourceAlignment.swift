import DataModels

/// A source with the names and places that its entities and properties have in another: what was renamed or moved
/// stands where it went, so that trees of different sources can be held against each other by names.
///
/// Only the elements themselves get the other names. What refers to them stays, for the model that is written says it.
enum SourceAlignment {
  static func aligned(_ root: SourceElement, _ names: ModelNames) -> SourceElement {
    guard !names.isEmpty else { return root }
    var result = root
    var moved: [(home: String, property: SourceElement)] = []
    var renamed: [SourceElement] = []
    result.children = []
    for child in root.children {
      guard child.name == "entity", let name = child["name"] else {
        result.children.append(
          child.name == "elements" ? aligned(layout: child, names) : child)
        continue
      }
      var entity = child
      let goal = names.entities[name] ?? name
      align(&entity, name, goal, names, &moved)
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

  private static func align(
    _ entity: inout SourceElement, _ name: String, _ goal: String, _ names: ModelNames,
    _ moved: inout [(home: String, property: SourceElement)]
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

  /// Where a child of an entity is in the other source, when that is another place and it is a property.
  private static func other(
    _ child: SourceElement, of entity: String, _ names: ModelNames
  ) -> ModelNames.Property? {
    switch child.name {
    case "attribute", "relationship", "fetchedProperty":
      child["name"].flatMap { names.properties[ModelNames.Property($0, of: entity)] }
    default: nil
    }
  }

  private static func aligned(layout: SourceElement, _ names: ModelNames) -> SourceElement {
    var result = layout
    result.children = []
    var renamed: [SourceElement] = []
    for child in layout.children {
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
