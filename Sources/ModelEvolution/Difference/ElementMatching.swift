/// Which element of an old outline is which of a new one.
///
/// Entities and properties are the same when their renaming identifiers say so, else when their
/// names do; a property is also looked for up and down the hierarchy. Everything else goes by name.
/// An attribute that became a relationship is not the same property.
struct ElementMatching {
  private(set) var newPaths: [ModelPath: ModelPath] = [:]
  private(set) var oldPaths: [ModelPath: ModelPath] = [:]

  /// A matching made of known pairs.
  init(pairs: some Sequence<(old: ModelPath, new: ModelPath)>) {
    for pair in pairs { match(pair.old, pair.new) }
  }

  /// Matches two outlines.
  init(from old: ModelOutline, to new: ModelOutline) {
    let oldContents = old.contentsByEntity()
    let newContents = new.contentsByEntity()
    matchByName(old, new, old.elements.keys.filter { !$0.isInsideEntity && $0.entityName == nil })
    let entities = NameMatching(
      old: Self.entities(of: old), new: Self.entities(of: new), in: (old, new))
    for (oldEntity, newEntity) in entities.pairs {
      match(oldEntity, newEntity)
      let oldInside = oldContents[oldEntity.name] ?? []
      let newInside = newContents[newEntity.name] ?? []
      let properties = NameMatching(
        old: oldInside.filter { old[$0]?.kind.isProperty == true },
        new: newInside.filter { new[$0]?.kind.isProperty == true }, in: (old, new))
      for (oldPath, newPath) in properties.pairs { match(oldPath, newPath) }
      for path in oldInside where old[path]?.kind == .index {
        let newPath = path.inside(newEntity.name)
        if new[newPath]?.kind == .index { match(path, newPath) }
      }
    }
    matchMoved(old, new)
  }

  /// The new name of an entity; its own name when it has no match.
  func newEntityName(_ name: String) -> String { newPaths[.entity(name)]?.name ?? name }

  /// Whether any matched entity or property has another name now.
  var hasRenames: Bool { newPaths.contains { $0.name != $1.name } }

  private mutating func match(_ old: ModelPath, _ new: ModelPath) {
    newPaths[old] = new
    oldPaths[new] = old
  }

  private mutating func matchByName(
    _ old: ModelOutline, _ new: ModelOutline, _ paths: [ModelPath]
  ) {
    for path in paths where new[path]?.kind == old[path]?.kind { match(path, path) }
  }

  private static func entities(of outline: ModelOutline) -> [ModelPath] {
    outline.elements.keys.filter { outline[$0]?.kind == .entity }
  }

  /// Matches properties that went to an ancestor or a descendant.
  private mutating func matchMoved(_ old: ModelOutline, _ new: ModelOutline) {
    var arrivals: [Stray: ModelPath] = [:]
    for (path, element) in new.elements where element.kind.isProperty && oldPaths[path] == nil {
      arrivals[Stray(path, element, entity: path.entityName ?? "")] = path
    }
    guard !arrivals.isEmpty else { return }
    var departures: [Stray: ModelPath] = [:]
    for (path, element) in old.elements where element.kind.isProperty && newPaths[path] == nil {
      departures[Stray(path, element, entity: newEntityName(path.entityName ?? ""))] = path
    }
    for (stray, path) in departures.sorted(by: { $0.value < $1.value }) {
      let goal = ancestry(of: stray.entity, old, new).lazy
        .compactMap { arrivals[stray.inside($0)] }.first { oldPaths[$0] == nil }
      if let goal { match(path, goal) }
    }
    for (stray, path) in arrivals.sorted(by: { $0.value < $1.value })
    where oldPaths[path] == nil {
      let origin = ancestry(of: stray.entity, old, new).lazy
        .compactMap { departures[stray.inside($0)] }.first { newPaths[$0] == nil }
      if let origin { match(origin, path) }
    }
  }

  /// A property without a match, as it is looked for elsewhere.
  private struct Stray: Hashable {
    let identifier: String
    let kind: ModelElementKind
    var entity: String

    init(_ path: ModelPath, _ element: ModelElement, entity: String) {
      identifier = element.renamingIdentifier(at: path)
      kind = element.kind
      self.entity = entity
    }

    func inside(_ entity: String) -> Stray {
      var copy = self
      copy.entity = entity
      return copy
    }
  }

  /// The ancestors an entity has or had, by their new names.
  private func ancestry(
    of entity: String, _ old: ModelOutline, _ new: ModelOutline
  ) -> [String] {
    let now = new.lineage(of: entity).dropFirst()
    guard let before = oldPaths[.entity(entity)]?.name else { return Array(now) }
    return now + old.lineage(of: before).dropFirst().map(newEntityName)
  }
}

extension ModelElement {
  /// What the element is matched by: its renaming identifier, else its name.
  func renamingIdentifier(at path: ModelPath) -> String {
    self["renamingIdentifier"].text ?? path.name
  }
}

/// The matching of two lists of names, each with a renaming identifier.
struct NameMatching {
  private(set) var pairs: [(ModelPath, ModelPath)] = []

  init(
    old: [ModelPath], new: [ModelPath], in outlines: (old: ModelOutline, new: ModelOutline)
  ) {
    let oldItems = old.compactMap { Item($0, in: outlines.old) }
    let newItems = new.compactMap { Item($0, in: outlines.new) }
    var takenOld = Set<ModelPath>()
    var takenNew = Set<ModelPath>()
    // Most certain first: nothing changed, the identifier kept, the old name as identifier, and
    // last the mere name, for an identifier that was edited.
    let rounds: [((Item) -> [String], (Item) -> [String])] = [
      ({ [$0.name, $0.identifier] }, { [$0.name, $0.identifier] }),
      ({ [$0.identifier] }, { [$0.identifier] }),
      ({ [$0.name] }, { [$0.identifier] }),
      ({ [$0.name] }, { [$0.name] }),
    ]
    for (oldKey, newKey) in rounds where takenNew.count < newItems.count {
      var index: [[String]: [Item]] = [:]
      // Reversed, so that the first of several is the last of the list and cheap to take.
      for item in oldItems.reversed() where !takenOld.contains(item.path) {
        index[oldKey(item) + [item.kind.rawValue], default: []].append(item)
      }
      for item in newItems where !takenNew.contains(item.path) {
        guard let match = index[newKey(item) + [item.kind.rawValue]]?.popLast() else { continue }
        takenOld.insert(match.path)
        takenNew.insert(item.path)
        pairs.append((match.path, item.path))
      }
    }
  }

  private struct Item {
    let path: ModelPath
    let kind: ModelElementKind
    let identifier: String
    var name: String { path.name }

    init?(_ path: ModelPath, in outline: ModelOutline) {
      guard let element = outline[path] else { return nil }
      self.path = path
      kind = element.kind
      identifier = element.renamingIdentifier(at: path)
    }
  }
}
