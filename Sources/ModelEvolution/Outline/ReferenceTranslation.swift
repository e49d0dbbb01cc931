/// Translates the references in one outline to the names of another.
struct ReferenceTranslation {
  /// The outline whose references are translated.
  let outline: ModelOutline
  /// Returns the new name of an entity.
  let entity: (String) -> String
  /// Returns the new name of a property, given its own path.
  let property: (ModelPath) -> String

  /// The elements with references whose names differ, translated.
  func changedElements() -> [ModelPath: ModelElement] {
    var changed: [ModelPath: ModelElement] = [:]
    for (path, element) in outline.elements {
      let translated = translate(element, at: path)
      if translated != element { changed[path] = translated }
    }
    return changed
  }

  /// Translates the references of an element.
  func translate(_ element: ModelElement, at path: ModelPath) -> ModelElement {
    var result = element
    var keys = KeyTranslation(outline: outline, property: property)
    // A fetched property's request may refer to the object that has the property.
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

  // The recursion follows the fact table (a request in a property, elements in a composite), not the depth of the
  // input, which the reader of composites bounds.
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
      // A request's scope is its own entity.
      let asked = fields["entity"]?.entityName ?? scope
      return .record(fields.mapValues { translate($0, scope: asked, keys) })
    case .none, .flag, .integer, .real, .decimal, .text, .date, .data, .uuid, .url, .choice,
      .object:
      return value
    }
  }
}
