import DataModels

/// Composites are merged from the sources, by name: a model has their elements only as parts of the attributes that use
/// them, so it knows neither their names nor those that nothing uses.
extension SourceDetailsMerge {
  /// Whether the element being merged is a composite or inside one; all of its content is merged here.
  var isInComposite: Bool { place.first?.kind == "composite" }

  /// Gives composites that a side renamed the same name in all three trees.
  mutating func alignComposites(
    base: inout SourceElement?, ours: inout SourceElement, theirs: inout SourceElement
  ) {
    guard let start = base else { return }
    let mine = CompositeAlignment.renames(from: start, to: ours)
    let yours = CompositeAlignment.renames(from: start, to: theirs)
    guard !mine.isEmpty || !yours.isEmpty else { return }
    let (ourNames, theirNames) = (
      CompositeAlignment.composites(ours), CompositeAlignment.composites(theirs)
    )
    var (inBase, inOurs, inTheirs): ([String: String], [String: String], [String: String]) =
      ([:], [:], [:])
    for name in Set(mine.keys).union(yours.keys).sorted() {
      switch (mine[name], yours[name]) {
      case (let one?, let other?):
        let goal = prefersTheirs ? other : one
        inBase[name] = goal
        guard one != other else { continue }
        place = [SourceConflict.Place(kind: "composite", name: goal)]
        contest("name", base: name, ours: one, theirs: other)
        place = []
        if prefersTheirs { inOurs[one] = goal } else { inTheirs[other] = goal }
      case (let goal?, nil) where theirNames[goal] == nil:
        (inBase[name], inTheirs[name]) = (goal, goal)
      case (nil, let goal?) where ourNames[goal] == nil:
        (inBase[name], inOurs[name]) = (goal, goal)
      default: break
      }
    }
    base = CompositeAlignment.renamed(start, inBase)
    ours = CompositeAlignment.renamed(ours, inOurs)
    theirs = CompositeAlignment.renamed(theirs, inTheirs)
  }

  /// Puts the attributes of a merged composite in order.
  mutating func arrange(
    _ composite: inout SourceElement, base: SourceElement?, ours: SourceElement,
    theirs: SourceElement
  ) {
    func names(_ element: SourceElement?) -> [String] {
      element?.children(named: "attribute").map { $0["name"] ?? "" } ?? []
    }
    let found = Dictionary(
      composite.children(named: "attribute").map { ($0["name"] ?? "", $0) },
      uniquingKeysWith: { first, _ in first })
    guard found.count == names(composite).count else { return }
    let (order, isConflict) = OrderMerge.merge(
      base: names(base), ours: names(ours), theirs: names(theirs), kept: Set(found.keys),
      prefersTheirs: prefersTheirs, name: { $0 })
    if isConflict {
      func said(_ element: SourceElement?) -> String? {
        element.map { names($0).joined(separator: ", ") }
      }
      contest("order", base: said(base), ours: said(ours), theirs: said(theirs))
    }
    composite.place(order.compactMap { found[$0] }, insteadOf: "attribute")
  }

  /// Restores composites that one side removed but that the merge uses, and makes attributes name a composite exactly if
  /// they are of the composite type, which the model determines.
  mutating func restoreComposites(
    in root: inout SourceElement, ours: SourceElement, theirs: SourceElement
  ) {
    let sides = prefersTheirs ? [theirs, ours] : [ours, theirs]
    let users = sides.map(CompositeAlignment.users)
    for (place, entity) in root.children.enumerated() where entity.name == "entity" {
      for (inner, attribute) in entity.children.enumerated() where attribute.name == "attribute" {
        let user = CompositeAlignment.User(
          entity: entity["name"] ?? "", attribute: attribute["name"] ?? "")
        if attribute["attributeType"] != "Composite" {
          if attribute["composite"] != nil {
            root.children[place].children[inner]["composite"] = nil
          }
        } else if attribute["composite"] == nil,
          let name = users.lazy.compactMap({ $0[user] }).first
        {
          XcodeOrder.insert(
            SourceAttribute("composite", name), into: &root.children[place].children[inner])
        }
      }
    }
    while let name = missingComposite(in: root) {
      guard let side = sides.first(where: { CompositeAlignment.composites($0)[name] != nil }),
        let element = side.children.first(where: { $0.name == "composite" && $0["name"] == name })
      else { return }
      XcodeOrder.insert(element, into: &root)
      let isOurs = CompositeAlignment.composites(ours)[name] != nil
      place = [SourceConflict.Place(kind: "composite", name: name)]
      contest(
        "use", base: nil, ours: isOurs ? "used" : nil, theirs: isOurs ? nil : "used",
        kind: .removedButUsed,
        keepsOurs: isOurs)
      place = []
    }
  }

  /// A composite that an attribute names and that doesn't exist, although one of the sides has it.
  private func missingComposite(in root: SourceElement) -> String? {
    let present = Set(root.children(named: "composite").compactMap { $0["name"] })
    for child in root.children where ["entity", "composite"].contains(child.name) {
      for attribute in child.children where attribute.name == "attribute" {
        if let name = attribute["composite"], !present.contains(name) { return name }
      }
    }
    return nil
  }
}

extension SourceElement {
  /// Replaces the children of one kind, in their places, by as many others.
  mutating func place(_ others: [SourceElement], insteadOf kind: String) {
    var rest = others[...]
    for place in children.indices where children[place].name == kind {
      guard let next = rest.popFirst() else { return }
      children[place] = next
    }
  }
}
