import ManagedModel

extension ModelDifference {
  /// A model that says what the new model says, made from one that says what the old one said.
  ///
  /// The given model is not changed. The order of what stays is kept; what is new comes after it.
  ///
  /// - Throws: `EvolutionError` when the model lacks what a change is about, or has it already.
  public func applied(to old: NSManagedObjectModel) throws -> NSManagedObjectModel {
    let model = old.deepCopy()
    guard !isEmpty else { return model }
    let editor = ModelEditor(model)
    // References by name that follow a rename are no changes, but must be written all the same.
    var following: [(ModelPath, ModelElement)] = []
    if matching.hasRenames {
      let translation = ReferenceTranslation(
        outline: ModelOutline(of: old), entity: matching.newEntityName,
        property: { matching.newPath(of: $0)?.name ?? $0.name })
      following = translation.changedElements().compactMap { path, element in
        matching.newPath(of: path).map { ($0, element) }
      }
    }
    try editor.restructure(by: self)
    for (path, element) in following {
      for (fact, value) in element.facts where fact.holdsReferences {
        // What a change says below counts, and a reference may lead to what was removed.
        try? editor.write(value, to: fact, at: path)
      }
    }
    for change in changes {
      if let element = change.element, change.kind == .added {
        for (fact, value) in element.facts {
          try editor.write(value, to: fact, at: change.path)
        }
      } else if let name = change.fact, let fact = Fact.named(name, for: change.elementKind) {
        try editor.write(change.newValue, to: fact, at: change.path)
      }
    }
    try editor.finish()
    return model
  }
}
