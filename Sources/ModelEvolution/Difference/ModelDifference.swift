import DataModels

/// The changes from one model to another, element by element and fact by fact.
///
/// ```swift
/// let difference = ModelDifference(from: shipped, to: edited)
/// for change in difference.changes where change.changesHash {
///   print(change.path, change.kind, change.reason)
/// }
/// let again = try difference.applied(to: shipped)  // says what `edited` says
/// ```
///
/// Renamed entities and properties are identified by renaming identifier. References that merely follow a rename, such
/// as a relationship's destination, are not changes.
public struct ModelDifference: Sendable {
  /// The changes, sorted by path.
  public let changes: [ModelChange]
  /// The entities whose version hash has changed although no change above is in them or in their properties: something
  /// that they refer to or inherit from has changed.
  public let entitiesChangedByReference: [String]

  let matching: ElementMatching

  /// Compares two models.
  public init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
    self.init(from: ModelOutline(of: old), to: ModelOutline(of: new))
  }

  /// Compares two outlines.
  public init(from old: ModelOutline, to new: ModelOutline) {
    self.init(from: old, to: new, matching: ElementMatching(from: old, to: new))
  }

  init(from old: ModelOutline, to new: ModelOutline, matching: ElementMatching) {
    self.init(from: old, to: new, matching: matching, among: nil)
  }

  /// Compares two outlines.
  ///
  /// - Parameter paths: the elements to examine. Entities in neither list, and everything in them, are the same in
  ///   both outlines.
  init(
    from old: ModelOutline, to new: ModelOutline, among paths: (old: [ModelPath], new: [ModelPath])
  ) {
    let matching = ElementMatching(from: old, to: new, among: paths)
    // What is the same may refer to something that was renamed, and so mean another thing.
    self.init(
      from: old, to: new, matching: matching, among: matching.hasRenames ? nil : paths)
  }

  private init(
    from old: ModelOutline, to new: ModelOutline, matching: ElementMatching,
    among paths: (old: [ModelPath], new: [ModelPath])?
  ) {
    var comparison = OutlineComparison(old: old, new: new, matching: matching)
    comparison.run(among: paths ?? (Array(old.paths), Array(new.paths)))
    changes = comparison.changes.sorted()
    entitiesChangedByReference = comparison.entitiesChangedByReference()
    self.matching = matching
  }

  /// The same difference, restricted to changes that affect hashes. It can't be applied.
  public var onlyChangingHashes: ModelDifference {
    ModelDifference(
      changes: changes.filter(\.changesHash),
      entitiesChangedByReference: entitiesChangedByReference, matching: matching)
  }

  private init(
    changes: [ModelChange], entitiesChangedByReference: [String], matching: ElementMatching
  ) {
    self.changes = changes
    self.entitiesChangedByReference = entitiesChangedByReference
    self.matching = matching
  }

  /// Whether the models are equal.
  public var isEmpty: Bool { changes.isEmpty }

  /// Whether any change alters the version hash of an entity.
  public var changesHash: Bool { changes.contains(where: \.changesHash) }
}

/// A single pass over two matched outlines.
private struct OutlineComparison {
  let old: ModelOutline
  let new: ModelOutline
  let matching: ElementMatching
  var changes: [ModelChange] = []

  /// The elements of the old outline whose references have new names.
  private let translated: [ModelPath: ModelElement]

  init(old: ModelOutline, new: ModelOutline, matching: ElementMatching) {
    self.old = old
    self.new = new
    self.matching = matching
    translated =
      matching.hasRenames
      ? ReferenceTranslation(
        outline: old, entity: matching.newEntityName,
        property: { matching.newPath(of: $0)?.name ?? $0.name }
      ).changedElements() : [:]
  }

  mutating func run(among paths: (old: [ModelPath], new: [ModelPath])) {
    for oldPath in paths.old {
      guard let oldElement = old[oldPath] else { continue }
      guard let newPath = matching.newPath(of: oldPath), let newElement = new[newPath] else {
        change(.removed, at: oldPath, from: oldPath, of: oldElement, element: oldElement)
        continue
      }
      compare((oldPath, translated[oldPath] ?? oldElement), (newPath, newElement))
    }
    for path in paths.new where matching.oldPath(of: path) == nil {
      guard let element = new[path] else { continue }
      change(.added, at: path, from: nil, of: element, element: element)
    }
  }

  private mutating func compare(
    _ old: (path: ModelPath, element: ModelElement), _ new: (path: ModelPath, element: ModelElement)
  ) {
    if let home = old.path.entityName, old.path.isInsideEntity,
      matching.newEntityName(home) != new.path.entityName
    {
      change(.moved, at: new.path, from: old.path, of: new.element)
    }
    if old.path.name != new.path.name {
      change(.renamed, at: new.path, from: old.path, of: new.element)
    }
    guard old.element != new.element else { return }
    for (index, fact) in Fact.table(for: new.element.kind).enumerated() {
      let before = old.element.values[index]
      let after = new.element.values[index]
      guard before != after else { continue }
      changes.append(
        ModelChange(
          kind: fact.name == "superentity" ? .moved : .changed, path: new.path,
          oldPath: old.path, elementKind: new.element.kind, fact: fact.name, oldValue: before,
          newValue: after, element: nil,
          changesHash: fact.changesHash(from: old.element, to: new.element),
          reason: fact.reason(from: old.element, to: new.element)))
    }
  }

  private mutating func change(
    _ kind: ModelChange.Kind, at path: ModelPath, from oldPath: ModelPath?,
    of subject: ModelElement, element: ModelElement? = nil
  ) {
    let effect = HashEffect(of: kind, on: subject)
    changes.append(
      ModelChange(
        kind: kind, path: path, oldPath: oldPath, elementKind: subject.kind, fact: nil,
        oldValue: .none, newValue: .none, element: element, changesHash: effect.changesHash,
        reason: effect.reason))
  }

  /// The entities whose hash changes only because they inherit from or refer to something that has changed.
  func entitiesChangedByReference() -> [String] {
    var touched = Set(changes.lazy.filter(\.changesHash).compactMap(\.path.entityName))
    let direct = touched
    for change in changes where change.changesHash && change.kind == .moved {
      if let home = change.oldPath?.entityName { touched.insert(matching.newEntityName(home)) }
    }
    // The hash of a relationship includes the names of its destination and its inverse.
    for (path, element) in translated.isEmpty ? OutlineElements() : old.elements
    where element.kind == .relationship && !element["transient"].isTrue {
      guard let newPath = matching.newPath(of: path), let entity = newPath.entityName,
        new[newPath] != nil, translated[path] != nil
      else { continue }
      touched.insert(entity)
    }
    var children: [String: [String]] = [:]
    for (path, element) in new.elements where element.kind == .entity {
      if let parent = element["superentity"].entityName {
        children[parent, default: []].append(path.name)
      }
    }
    var queue = Array(touched)
    while let entity = queue.popLast() {
      for child in children[entity] ?? [] where touched.insert(child).inserted {
        queue.append(child)
      }
    }
    return touched.subtracting(direct).filter { new[.entity($0)] != nil }.sorted()
  }
}

extension ModelDifference {
  /// Applies the difference to a model that is equal to the old model, and returns one that is equal to the new model.
  ///
  /// The given model is not modified. Existing elements keep their order; new ones follow.
  ///
  /// - Throws: `EvolutionError` when the model lacks the element of a change, or already has an element to be added.
  public func applied(to old: NSManagedObjectModel) throws -> NSManagedObjectModel {
    let model = old.deepCopy()
    guard !isEmpty else { return model }
    let editor = ModelEditor(model)
    // References by name that follow a rename are not changes, but must be written nevertheless.
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
        // Changes applied below take precedence, and a reference may lead to a removed element.
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
