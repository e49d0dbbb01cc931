import DataModels

/// A model as an entity-relationship drawing in DOT, the language of Graphviz.
///
/// Each entity is a box with its properties. A relationship and its inverse are a single line, named at both ends, with
/// a crow's foot at a to-many end; inheritance is a hollow arrow.
///
/// ```swift
/// try ModelGraphDrawing(schema).text.write(to: url, atomically: true, encoding: .utf8)
/// // dot -Tsvg model.dot > model.svg
/// ```
public struct ModelGraphDrawing {
  /// The model.
  public let schema: ModelSchema

  /// The name of the drawing.
  public let title: String

  /// Creates a drawing.
  public init(_ schema: ModelSchema, title: String = "model") {
    self.schema = schema
    self.title = title
  }

  /// The drawing, ending with a newline.
  public var text: String {
    let nodes = nodeNames
    var lines = [
      "digraph \(DOTText.quoted(title)) {",
      "  graph [rankdir=LR, nodesep=0.4, ranksep=1.0]",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=11]",
      "  edge [fontname=\"Helvetica\", fontsize=9]",
    ]
    for entity in schema.entities {
      lines.append("  \(nodes[entity.name, default: "e0"]) [label=<\(EntityBox(entity).label)>]")
    }
    for name in outsiders(nodes) {
      lines.append(
        "  \(nodes[name, default: "e0"]) [label=<<I>\(DOTText.markup(name))</I>>, shape=box, "
          + "style=dashed]")
    }
    lines += inheritance(nodes)
    lines += relationships(nodes)
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  /// A name for each node, based on its number in the drawing so that it is independent of the entity's name.
  private var nodeNames: [String: String] {
    var names: [String: String] = [:]
    func add(_ name: String) { if names[name] == nil { names[name] = "e\(names.count + 1)" } }
    for entity in schema.entities { add(entity.name) }
    for entity in schema.entities {
      if let parent = entity.superentity { add(parent) }
      for case .relationship(let relationship) in entity.properties.map(\.detail) {
        if let destination = relationship.destination { add(destination) }
      }
    }
    return names
  }

  /// Entities that are referenced but not drawn, if the drawing shows only part of a model.
  private func outsiders(_ nodes: [String: String]) -> [String] {
    let drawn = Set(schema.entities.map(\.name))
    return nodes.keys.filter { !drawn.contains($0) }.sorted()
  }

  private func inheritance(_ nodes: [String: String]) -> [String] {
    schema.entities.compactMap { entity in
      guard let node = nodes[entity.name], let parent = entity.superentity.flatMap({ nodes[$0] })
      else { return nil }
      return "  \(node) -> \(parent) [arrowhead=empty, style=bold]"
    }
  }

  private struct End: Hashable {
    var entity: String
    var relationship: String
  }

  private func relationships(_ nodes: [String: String]) -> [String] {
    var byEnd: [End: ModelSchema.Relationship] = [:]
    var ends: [End] = []
    for entity in schema.entities {
      for property in entity.properties {
        guard case .relationship(let relationship) = property.detail else { continue }
        let end = End(entity: entity.name, relationship: property.name)
        byEnd[end] = relationship
        ends.append(end)
      }
    }
    var drawn: Set<End> = []
    return ends.compactMap { end in
      guard let relationship = byEnd[end], drawn.insert(end).inserted,
        let destination = relationship.destination,
        let tail = nodes[end.entity], let head = nodes[destination]
      else { return nil }
      var back: ModelSchema.Relationship?
      if let inverse = relationship.inverse {
        let other = End(entity: destination, relationship: inverse)
        if let candidate = byEnd[other], candidate.inverse == end.relationship {
          drawn.insert(other)
          back = candidate
        }
      }
      return
        "  \(tail) -> \(head) [\(Self.line(from: end.relationship, for: relationship, inverse: back))]"
    }
  }

  /// The attributes of the line for a relationship and its inverse.
  private static func line(
    from name: String, for relationship: ModelSchema.Relationship,
    inverse back: ModelSchema.Relationship?
  ) -> String {
    var attributes = [
      "headlabel=<\(DOTText.markup(name))>", "arrowhead=\(arrow(relationship))",
    ]
    if let back, let inverse = relationship.inverse {
      attributes += [
        "taillabel=<\(DOTText.markup(inverse))>", "arrowtail=\(arrow(back))", "dir=both",
      ]
    }
    return attributes.joined(separator: ", ")
  }

  private static func arrow(_ relationship: ModelSchema.Relationship) -> String {
    switch (relationship.isToMany, relationship.minCount) {
    case (true, 1...): "crowtee"
    case (true, _): "crowodot"
    case (false, 1...): "teetee"
    case (false, _): "teeodot"
    }
  }
}

/// Formats arbitrary strings for DOT.
enum DOTText {
  /// A quoted string.
  ///
  /// In a quoted string, DOT has only the escape `\"`, but in labels every backslash is an escape, so backslashes are
  /// doubled.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      default: result += shown(scalar)
      }
    }
    return result + "\""
  }

  /// A string for Graphviz's HTML-like labels, which are parsed as XML.
  static func markup(_ text: String) -> String {
    let label = text.unicodeScalars.map(shown).joined()
    return label.isEmpty ? " " : label.escapingMarkup(inAttribute: true)
  }

  /// A scalar, or a replacement if XML can't represent it.
  private static func shown(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0..<0x20:
      Unicode.Scalar(0x2400 + scalar.value).map { String(Character($0)) } ?? "\u{FFFD}"
    case 0x7F..<0xA0, 0xFFFE, 0xFFFF: "\u{FFFD}"
    default: String(Character(scalar))
    }
  }
}
