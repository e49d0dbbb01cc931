/// Matches the elements of an old outline with those of a new one.
///
/// Entities and properties are matched by renaming identifier, or else by name; a property is also searched for up and
/// down the hierarchy. All other elements are matched by name. An attribute that became a relationship is not the same
/// property.
///
/// Most elements keep their paths, so only the exceptions are stored here.
struct ElementMatching {
  /// The new paths of elements whose path has changed.
  private var goals: [ModelPath: ModelPath] = [:]
  /// The old paths of elements whose path has changed.
  private var origins: [ModelPath: ModelPath] = [:]
  /// The elements of the old outline without a match.
  private var removed: Set<ModelPath> = []
  /// The elements of the new outline without a match.
  private var added: Set<ModelPath> = []

  /// The new path of an element of the old outline; nil when it was removed.
  func newPath(of path: ModelPath) -> ModelPath? {
    goals[path] ?? (removed.contains(path) ? nil : path)
  }

  /// The old path of an element of the new outline; nil when it is new.
  func oldPath(of path: ModelPath) -> ModelPath? {
    origins[path] ?? (added.contains(path) ? nil : path)
  }

  /// The new name of an entity; the same name when it has no match.
  func newEntityName(_ name: String) -> String { goals[.entity(name)]?.name ?? name }

  /// Whether a matched entity or property was renamed.
  var hasRenames: Bool { goals.contains { $0.name != $1.name } }

  /// Creates a matching from known pairs; elements in no pair have no match.
  init(
    from old: ModelOutline, to new: ModelOutline,
    pairs: some Sequence<(old: ModelPath, new: ModelPath)>
  ) {
    removed = Set(old.paths)
    added = Set(new.paths)
    for pair in pairs { match(pair.old, pair.new) }
  }

  /// Matches two outlines.
  init(from old: ModelOutline, to new: ModelOutline) {
    self.init(from: old, to: new, among: (Array(old.paths), Array(new.paths)))
  }

  /// Matches two outlines.
  ///
  /// - Parameter paths: the elements to examine. Entities in neither list, and everything in them, are the same in
  ///   both outlines.
  init(
    from old: ModelOutline, to new: ModelOutline, among paths: (old: [ModelPath], new: [ModelPath])
  ) {
    let elements = (
      old: paths.old.compactMap { path in old[path].map { (path, $0) } },
      new: paths.new.compactMap { path in new[path].map { (path, $0) } }
    )
    matchOutside(elements, from: old, to: new)
    matchInside(elements, from: old, to: new)
    matchMoved(old, new)
  }

  /// The elements to examine, in order.
  private typealias Elements = (
    old: [(ModelPath, ModelElement)], new: [(ModelPath, ModelElement)]
  )

  private mutating func match(_ old: ModelPath, _ new: ModelPath) {
    removed.remove(old)
    added.remove(new)
    guard old != new else { return }
    goals[old] = new
    origins[new] = old
  }

  /// Whether two elements with equal paths are certain to be the same.
  private static func isSame(
    old: ModelElement, at oldPath: ModelPath, new: ModelElement, newPath: ModelPath
  ) -> Bool {
    guard old.kind == new.kind else { return false }
    return !(old.kind == .entity || old.kind.isProperty)
      || old.renamingIdentifier(at: oldPath) == new.renamingIdentifier(at: newPath)
  }

  /// Matches entities, templates, configurations and the model itself.
  private mutating func matchOutside(
    _ elements: Elements, from old: ModelOutline, to new: ModelOutline
  ) {
    for (path, element) in elements.old where !path.isInsideEntity {
      guard let same = new[path], Self.isSame(old: element, at: path, new: same, newPath: path)
      else {
        removed.insert(path)
        continue
      }
    }
    for (path, element) in elements.new where !path.isInsideEntity {
      guard let same = old[path], Self.isSame(old: same, at: path, new: element, newPath: path)
      else {
        added.insert(path)
        continue
      }
    }
    let entities = NameMatching(
      old: removed.filter { old[$0]?.kind == .entity }.sorted(),
      new: added.filter { new[$0]?.kind == .entity }.sorted(), in: (old, new))
    for (oldPath, newPath) in entities.pairs { match(oldPath, newPath) }
  }

  /// Matches the properties and indexes of matched entities.
  private mutating func matchInside(
    _ elements: Elements, from old: ModelOutline, to new: ModelOutline
  ) {
    var leftOld: [String: [ModelPath]] = [:]
    var leftNew: [String: [ModelPath]] = [:]
    for (path, element) in elements.old {
      guard path.isInsideEntity, let home = path.entityName else { continue }
      let name = newEntityName(home)
      let isOwnerRemoved = removed.contains(.entity(home))
      let goal = name == home ? path : path.inside(name)
      if !isOwnerRemoved, let same = new[goal],
        Self.isSame(old: element, at: path, new: same, newPath: goal)
      {
        if goal != path { match(path, goal) }
      } else {
        removed.insert(path)
        if !isOwnerRemoved { leftOld[name, default: []].append(path) }
      }
    }
    for (path, element) in elements.new {
      guard path.isInsideEntity, let home = path.entityName else { continue }
      guard let oldHome = oldPath(of: .entity(home))?.name else {
        added.insert(path)
        continue
      }
      let origin = oldHome == home ? path : path.inside(oldHome)
      if let same = old[origin], Self.isSame(old: same, at: origin, new: element, newPath: path) {
        continue
      }
      added.insert(path)
      leftNew[home, default: []].append(path)
    }
    for (home, arrivals) in leftNew {
      guard let departures = leftOld[home] else { continue }
      let properties = NameMatching(
        old: departures.filter { old[$0]?.kind.isProperty == true },
        new: arrivals.filter { new[$0]?.kind.isProperty == true }, in: (old, new))
      for (oldPath, newPath) in properties.pairs { match(oldPath, newPath) }
    }
  }

  /// Matches properties that moved to an ancestor or a descendant.
  private mutating func matchMoved(_ old: ModelOutline, _ new: ModelOutline) {
    var arrivals: [Stray: ModelPath] = [:]
    for path in added {
      guard let element = new[path], element.kind.isProperty else { continue }
      arrivals[Stray(path, element, entity: path.entityName ?? "")] = path
    }
    guard !arrivals.isEmpty else { return }
    var departures: [Stray: ModelPath] = [:]
    for path in removed {
      guard let element = old[path], element.kind.isProperty else { continue }
      departures[Stray(path, element, entity: newEntityName(path.entityName ?? ""))] = path
    }
    for (stray, path) in departures.sorted(by: { $0.value < $1.value }) {
      let goal = ancestry(of: stray.entity, old, new).lazy
        .compactMap { arrivals[stray.inside($0)] }.first { added.contains($0) }
      if let goal { match(path, goal) }
    }
    for (stray, path) in arrivals.sorted(by: { $0.value < $1.value })
    where added.contains(path) {
      let origin = ancestry(of: stray.entity, old, new).lazy
        .compactMap { departures[stray.inside($0)] }.first { removed.contains($0) }
      if let origin { match(origin, path) }
    }
  }

  /// An unmatched property, as a key to search for it elsewhere.
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

  /// The current and former ancestors of an entity, by their new names.
  private func ancestry(
    of entity: String, _ old: ModelOutline, _ new: ModelOutline
  ) -> [String] {
    let now = new.lineage(of: entity).dropFirst()
    guard let before = oldPath(of: .entity(entity))?.name else { return Array(now) }
    return now + old.lineage(of: before).dropFirst().map(newEntityName)
  }
}

extension ModelElement {
  /// The element's value for the renaming identifier.
  private var renaming: ModelValue {
    let index = kind == .entity ? Self.renamingOfEntities : Self.renamingOfProperties
    guard kind == .entity || kind.isProperty, let index else { return .none }
    return values[index]
  }

  // Looked up once, because matching needs them for every element.
  private static let renamingOfEntities = Fact.index(of: "renamingIdentifier", for: .entity)
  private static let renamingOfProperties = Fact.index(of: "renamingIdentifier", for: .attribute)

  /// The identifier by which the element is matched: its renaming identifier, or else its name.
  func renamingIdentifier(at path: ModelPath) -> String {
    renaming.text ?? path.name
  }
}

/// Matches two lists of names, each with a renaming identifier.
struct NameMatching {
  private(set) var pairs: [(ModelPath, ModelPath)] = []

  init(
    old: [ModelPath], new: [ModelPath], in outlines: (old: ModelOutline, new: ModelOutline)
  ) {
    let oldItems = old.compactMap { Item($0, in: outlines.old) }
    let newItems = new.compactMap { Item($0, in: outlines.new) }
    var takenOld = Set<ModelPath>()
    var takenNew = Set<ModelPath>()
    // Most certain matches first: nothing changed, the identifier was kept, the old name is the new identifier, and
    // finally the name alone, for an identifier that was edited.
    let rounds: [((Item) -> [String], (Item) -> [String])] = [
      ({ [$0.name, $0.identifier] }, { [$0.name, $0.identifier] }),
      ({ [$0.identifier] }, { [$0.identifier] }),
      ({ [$0.name] }, { [$0.identifier] }),
      ({ [$0.name] }, { [$0.name] }),
    ]
    for (oldKey, newKey) in rounds where takenNew.count < newItems.count {
      var index: [[String]: [Item]] = [:]
      // Reversed, so that the first of several candidates is last in the list and cheap to remove.
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
