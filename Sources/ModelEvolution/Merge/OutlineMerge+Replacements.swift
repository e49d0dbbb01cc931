extension OutlineMerge {
  /// Reports what both sides took away and put another name in the place of, each its own: editors rename by this, as
  /// renaming identifiers are set by hand alone. The merge has both new ones, where there was one.
  mutating func reportRivalReplacements() {
    let added = (additions(ours, without: theirs), additions(theirs, without: ours))
    guard !added.0.isEmpty, !added.1.isEmpty else { return }
    var taken: Set<ModelPath> = []
    for (identity, before) in base.entries where ours[identity] == nil && theirs[identity] == nil {
      func replacement(_ added: [ModelPath], in side: IdentifiedOutline) -> ModelPath? {
        added.first { !taken.contains($0) && replaces($0, of: side, identity, before) }
      }
      guard let mine = replacement(added.0, in: ours),
        let yours = replacement(added.1, in: theirs),
        let ourName = ours[mine]?.name, let theirName = theirs[yours]?.name
      else { continue }
      taken.formUnion([mine, yours])
      conflict(mine) { path in
        MergeConflict(
          .renamedDifferently, at: path, base: .text(before.name), ours: .text(ourName),
          theirs: .text(theirName), taken: nil,
          "both removed \(before.name), and ours added \(ourName), theirs \(theirName), which are the same"
            + " but for the name: one of them is enough if it was renamed (the merged model has both)"
        )
      }
    }
  }

  /// The entities and properties that one side added and the other didn't.
  private func additions(
    _ side: IdentifiedOutline, without other: IdentifiedOutline
  ) -> [ModelPath] {
    side.entries.keys.filter { identity in
      guard base[identity] == nil, other[identity] == nil else { return false }
      switch identity {
      case .entity, .property: return true
      default: return false
      }
    }.sorted()
  }

  /// Whether an addition is what the base had under another name: a property that says the same, or an entity with the
  /// same properties.
  private func replaces(
    _ addition: ModelPath, of side: IdentifiedOutline, _ identity: ModelPath,
    _ before: IdentifiedOutline.Entry
  ) -> Bool {
    guard let entry = side[addition] else { return false }
    switch (addition, identity) {
    case (.property, .property): return entry.home == before.home && entry.element == before.element
    case (.entity, .entity):
      let names = propertyNames(of: identity, in: base)
      return !names.isEmpty && names == propertyNames(of: addition, in: side)
    default: return false
    }
  }

  private func propertyNames(of entity: ModelPath, in side: IdentifiedOutline) -> Set<String> {
    Set(
      side.entries.filter { path, entry in
        if case .property = path { entry.home == entity.name } else { false }
      }.map(\.value.name))
  }
}
