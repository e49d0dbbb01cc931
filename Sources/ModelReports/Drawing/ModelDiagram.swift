import ModelListing

/// A model as a drawing: a box for each entity, a hollow arrow for each parent, a line for each relationship and its
/// inverse, with crow's feet where it leads to many. The rule of deletion stands beside each relationship's name.
///
/// ```swift
/// try ModelDiagram(schema).svg(title: "Shop").write(to: url, atomically: true, encoding: .utf8)
/// ```
///
/// Places are found here (``DiagramLayout``); no other program is needed, and the same model gives the same drawing.
public struct ModelDiagram: Sendable {
  let boxes: [DiagramBox]
  let lines: [DiagramLine]
  /// Where everything is.
  public let layout: DiagramLayout

  /// Draws a model.
  ///
  /// - Parameters:
  ///   - schema: the model, or a part of it: entities that are named and not in it have dashed boxes.
  ///   - attributeLimit: how many attributes a box shows; nil for all of them.
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

  /// How many lines relationships are drawn as.
  public var relationshipCount: Int { lines.count - inheritanceCount }

  /// How many entities have a line to a parent.
  public var inheritanceCount: Int {
    lines.count { line in
      if case .inheritance = line.kind { return true }
      return false
    }
  }
}
