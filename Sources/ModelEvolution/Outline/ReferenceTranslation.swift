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
    var keys = KeyTranslation(outline: outline, property: property)
    // What a fetched property's request may ask of the object that has the property.
    if element.kind == .fetchedProperty { keys.variables["FETCH_SOURCE"] = path.entityName }
    for (index, fact) in Fact.table(for: element.kind).enumerated() where fact.holdsReferences {
      let scope =
        switch fact.scope {
        case .owner: path.entityName
        case .destination: element["destination"].entityName
        case .request: element["entity"].entityName
        }
      result.values[index] = translate(element.values[index], scope: scope, keys)
    }
    return result
  }

  // Recursion follows the shape of the fact table (a request in a property, elements in a
  // composite), never the input's depth: the reader of composites bounds that.
  private func translate(
    _ value: ModelValue, scope: String?, _ keys: KeyTranslation
  ) -> ModelValue {
    func inner(_ value: ModelValue) -> ModelValue { translate(value, scope: scope, keys) }
    switch value {
    case .entity(let name):
      return .entity(entity(name))
    case .property(let name):
      guard let scope, let path = outline.property(name, visibleIn: scope) else { return value }
      return .property(property(path))
    case .keyPath(let path):
      return .keyPath(keys.path(path, from: scope).path)
    case .predicate(let predicate):
      return .predicate(predicate.with { keys.predicate($0, of: scope) })
    case .expression(let expression):
      return .expression(expression.with { keys.expression($0, of: scope).tree })
    case .list(let values):
      return .list(values.map(inner))
    case .set(let values):
      return .members(values.map(inner))
    case .record(let fields):
      // A request asks objects of its own entity.
      let asked = fields["entity"]?.entityName ?? scope
      return .record(fields.mapValues { translate($0, scope: asked, keys) })
    case .none, .flag, .integer, .real, .decimal, .text, .date, .data, .uuid, .url, .choice,
      .object:
      return value
    }
  }
}
