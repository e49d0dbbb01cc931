import ModelListing

/// A diagram of a model: a box for each entity, a hollow arrow for each inheritance link, and a line for each
/// relationship and its inverse, with crow's feet at to-many ends. The delete rule is shown beside each relationship's
/// name.
///
/// ```swift
/// try ModelDiagram(schema).svg(title: "Shop").write(to: url, atomically: true, encoding: .utf8)
/// ```
///
/// The layout is computed by ``DiagramLayout``, without other programs, and is deterministic.
public struct ModelDiagram: Sendable {
  let boxes: [DiagramBox]
  let lines: [DiagramLine]
  /// The positions of all parts.
  public let layout: DiagramLayout

  /// Creates the diagram of a model.
  ///
  /// - Parameters:
  ///   - schema: The model, or a part of it: referenced entities that are not in it have dashed boxes.
  ///   - attributeLimit: The most attributes to show in a box; nil for all.
  public init(_ schema: ModelSchema, attributeLimit: Int? = nil) {
    var boxes = schema.entities.map { DiagramBox($0, limit: attributeLimit) }
    var places: [String: Int] = [:]
    for (index, box) in boxes.enumerated() where places[box.name] == nil {
      places[box.name] = index
    }
    for entity in schema.entities {
      var names = entity.superentity.map { [$0] } ?? []
      for case .relationship(let relationship) in entity.properties.map(\.detail) {
        if let destination = relationship.destination { names.append(destination) }
      }
      for name in names where places[name] == nil {
        places[name] = boxes.count
        boxes.append(DiagramBox(outside: name))
      }
    }
    lines = DiagramLines(schema.entities, boxes: boxes, places: places).lines
    layout = DiagramLayout(
      nodes: boxes.map { .init(width: $0.width, height: $0.height) }, edges: lines.map(\.edge))
    self.boxes = boxes
  }

  /// The number of lines for relationships.
  public var relationshipCount: Int { lines.count - inheritanceCount }

  /// The number of lines from an entity to its parent.
  public var inheritanceCount: Int {
    lines.count { line in
      if case .inheritance = line.kind { return true }
      return false
    }
  }
}
