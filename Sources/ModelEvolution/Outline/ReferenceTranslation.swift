/// How the references in one outline are spelled with the names of another.
struct ReferenceTranslation {
  /// The outline whose references are translated.
  let outline: ModelOutline
  /// The other name of an entity.
  let entity: (String) -> String
  /// The other name of a property, found under its own path.
  let property: (ModelPath) -> String

  /// Every element that holds a reference whose name differs, with the other names in it.
  func changedElements() -> [ModelPath: ModelElement] {
    var changed: [ModelPath: ModelElement] = [:]
    for (path, element) in outline.elements {
      let translated = translate(element, at: path)
      if translated != element { changed[path] = translated }
    }
    return changed
  }

  /// An element with the other names in its references.
  func translate(_ element: ModelElement, at path: ModelPath) -> ModelElement {
    var result = element
    for (index, fact) in Fact.table(for: element.kind).enumerated() where fact.holdsReferences {
      let scope =
        switch fact.scope {
        case .owner: path.entityName
        case .destination: element["destination"].entityName
        }
      result.values[index] = translate(element.values[index], scope: scope)
    }
    return result
  }

  // Recursion follows the shape of the fact table (a request in a property, elements in a
  // composite), never the input's depth: the reader of composites bounds that.
  private func translate(_ value: ModelValue, scope: String?) -> ModelValue {
    switch value {
    case .entity(let name):
      return .entity(entity(name))
    case .property(let name):
      guard let scope, let path = outline.property(name, visibleIn: scope) else { return value }
      return .property(property(path))
    case .list(let values):
      return .list(values.map { translate($0, scope: scope) })
    case .set(let values):
      return .members(values.map { translate($0, scope: scope) })
    case .record(let fields):
      return .record(fields.mapValues { translate($0, scope: scope) })
    default:
      return value
    }
  }
}
