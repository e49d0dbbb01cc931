import ModelListing

/// A line in a diagram: an inheritance link, or a relationship with its inverse.
struct DiagramLine: Sendable {
  /// An end of a line: the number of objects of this entity per object of the other.
  struct End: Sendable {
    let isToMany: Bool
    let isOptional: Bool
  }

  enum Kind: Sendable {
    case inheritance
    /// A relationship, with its ends; nil for an end without a relationship.
    case relationship(from: End?, to: End?)
  }

  let kind: Kind
  /// The indexes of the boxes. For inheritance, the line leads from parent to child.
  let from: Int
  let to: Int
  let fromOffset: Double
  let toOffset: Double
  /// A description of the line in words.
  let words: String

  var edge: DiagramLayout.Edge {
    var isHierarchy = false
    if case .inheritance = kind { isHierarchy = true }
    return .init(
      from: from, to: to, fromOffset: fromOffset, toOffset: toOffset, isHierarchy: isHierarchy)
  }
}

/// Finds the lines of a model.
struct DiagramLines {
  private struct Name: Hashable {
    let entity: Int
    let property: String
  }

  private struct Found {
    let property: ModelSchema.Property
    let relationship: ModelSchema.Relationship
    let target: Int
  }

  private(set) var lines: [DiagramLine] = []

  /// - Parameter places: The indexes of the boxes by name, those of the entities first.
  init(_ entities: [ModelSchema.Entity], boxes: [DiagramBox], places: [String: Int]) {
    var found: [Name: Found] = [:]
    var order: [Name] = []
    for (index, entity) in entities.enumerated() {
      if let parent = entity.superentity.flatMap({ places[$0] }), parent != index {
        lines.append(
          DiagramLine(
            kind: .inheritance, from: parent, to: index, fromOffset: boxes[parent].headerOffset,
            toOffset: boxes[index].headerOffset,
            words: "\(entity.name) is a kind of \(boxes[parent].name)"))
      }
      for property in entity.properties {
        guard case .relationship(let relationship) = property.detail,
          let target = relationship.destination.flatMap({ places[$0] })
        else { continue }
        let name = Name(entity: index, property: property.name)
        guard found[name] == nil else { continue }
        found[name] = Found(property: property, relationship: relationship, target: target)
        order.append(name)
      }
    }
    var drawn: Set<Name> = []
    for name in order {
      guard let there = found[name], drawn.insert(name).inserted else { continue }
      var back: (name: Name, found: Found)?
      if let inverse = there.relationship.inverse {
        // The destination may inherit the inverse.
        var holder: Int? = there.target
        var steps = 0
        while let entity = holder, steps < 64, back == nil {
          let other = Name(entity: entity, property: inverse)
          if other != name, let candidate = found[other],
            candidate.relationship.inverse == name.property, !drawn.contains(other)
          {
            back = (other, candidate)
          }
          holder =
            entities.indices.contains(entity)
            ? entities[entity].superentity.flatMap { places[$0] } : nil
          steps += 1
        }
      }
      if let back { drawn.insert(back.name) }
      lines.append(Self.line(of: name, there: there, back: back, in: boxes))
    }
  }

  private static func line(
    of name: Name, there: Found, back: (name: Name, found: Found)?, in boxes: [DiagramBox]
  ) -> DiagramLine {
    let source = boxes[name.entity]
    let end = end(there)
    guard let back else {
      return DiagramLine(
        kind: .relationship(from: nil, to: end), from: name.entity, to: there.target,
        fromOffset: source.offset(of: name.property), toOffset: boxes[there.target].headerOffset,
        words: words(there, of: source.name))
    }
    let target = boxes[back.name.entity]
    let both = "\(words(there, of: source.name)); \(words(back.found, of: target.name))"
    let offsets = (source.offset(of: name.property), target.offset(of: back.name.property))
    // From the one to the many, the usual reading direction.
    if !there.relationship.isToMany, back.found.relationship.isToMany {
      return DiagramLine(
        kind: .relationship(from: end, to: Self.end(back.found)), from: back.name.entity,
        to: name.entity, fromOffset: offsets.1, toOffset: offsets.0, words: both)
    }
    return DiagramLine(
      kind: .relationship(from: Self.end(back.found), to: end), from: name.entity,
      to: back.name.entity, fromOffset: offsets.0, toOffset: offsets.1, words: both)
  }

  private static func end(_ found: Found) -> DiagramLine.End {
    .init(
      isToMany: found.relationship.isToMany,
      isOptional: found.property.isOptional && found.relationship.minCount == 0)
  }

  private static func words(_ found: Found, of entity: String) -> String {
    let count = found.relationship.isToMany ? "to-many" : "to-one"
    let order = found.relationship.isOrdered ? ", ordered" : ""
    return
      "\(entity).\(found.property.name): \(count) \(found.relationship.destination ?? "")\(order), "
      + "on delete \(found.relationship.deleteRule.title)"
  }
}
