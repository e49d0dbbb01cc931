/// Gives the composites that one side of a merge renamed their new names in the other trees as well, so that these can be
/// merged by name.
///
/// Composites have no renaming identifiers. One is taken for renamed if the attributes that used it use a single new one
/// instead or, if there are no such attributes, if a single new one has the same content.
enum CompositeAlignment {
  /// The names that a side gave to composites of the base.
  static func renames(from base: SourceElement, to side: SourceElement) -> [String: String] {
    let (old, new) = (composites(base), composites(side))
    let now = users(side)
    var usedOnce: [String: Set<String>] = [:]
    for (user, name) in users(base) {
      if let goal = now[user] { usedOnce[name, default: []].insert(goal) }
    }
    var found: [String: String] = [:]
    for (name, content) in old where new[name] == nil {
      let goals =
        usedOnce[name] ?? Set(new.filter { old[$0.key] == nil && $0.value == content }.keys)
      guard goals.count == 1, let goal = goals.first, old[goal] == nil, new[goal] != nil else {
        continue
      }
      found[name] = goal
    }
    let counts = Dictionary(found.values.map { ($0, 1) }, uniquingKeysWith: +)
    return found.filter { counts[$0.value] == 1 }
  }

  /// A tree with other names of its composites, also where attributes refer to them.
  static func renamed(_ root: SourceElement, _ names: [String: String]) -> SourceElement {
    guard !names.isEmpty else { return root }
    var result = root
    var moved: [SourceElement] = []
    result.children = []
    for child in root.children {
      guard ["entity", "composite"].contains(child.name) else {
        result.children.append(child)
        continue
      }
      var child = child
      for place in child.children.indices {
        if let goal = child.children[place]["composite"].flatMap({ names[$0] }) {
          child.children[place]["composite"] = goal
        }
      }
      if child.name == "composite", let goal = child["name"].flatMap({ names[$0] }) {
        child["name"] = goal
        moved.append(child)
      } else {
        result.children.append(child)
      }
    }
    for composite in moved { XcodeOrder.insert(composite, into: &result) }
    return result
  }

  /// The composites' contents by name.
  static func composites(_ root: SourceElement) -> [String: [SourceElement]] {
    Dictionary(
      root.children(named: "composite").compactMap { composite in
        composite["name"].map { ($0, composite.children.map { $0.withoutOffsets() }) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// An attribute of an entity.
  struct User: Hashable {
    let entity: String
    let attribute: String
  }

  /// The composites that entities' attributes name.
  static func users(_ root: SourceElement) -> [User: String] {
    var users: [User: String] = [:]
    for entity in root.children(named: "entity") {
      for attribute in entity.children(named: "attribute") {
        guard let composite = attribute["composite"] else { continue }
        users[User(entity: entity["name"] ?? "", attribute: attribute["name"] ?? "")] = composite
      }
    }
    return users
  }
}
