/// An entity's box in a drawing: a table with the entity's name and one row per property.
struct EntityBox {
  private let entity: ModelSchema.Entity

  init(_ entity: ModelSchema.Entity) {
    self.entity = entity
  }

  /// The table in Graphviz's HTML-like label format.
  var label: String {
    let name = DOTText.markup(entity.name)
    let heading = entity.isAbstract ? "<I>\(name)</I>" : "<B>\(name)</B>"
    let rows = entity.properties.compactMap { row($0) }
    return "<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\">"
      + "<TR><TD BGCOLOR=\"#dde6f0\">\(heading)</TD></TR>" + rows.joined() + "</TABLE>"
  }

  private func row(_ property: ModelSchema.Property) -> String? {
    let type: String
    switch property.detail {
    case .attribute(let attribute): type = attribute.type.title
    case .fetchedProperty(let fetched):
      type = "fetches \(fetched.fetchRequest?.entity ?? "nothing")"
    case .expression(let expression): type = expression.resultType.title
    case .relationship: return nil
    }
    let name = DOTText.markup(property.name)
    let shown = property.isTransient ? "<I>\(name)</I>" : name
    let mark = property.isOptional ? "?" : ""
    return "<TR><TD ALIGN=\"LEFT\">\(shown): \(DOTText.markup(type))\(mark)</TD></TR>"
  }
}
