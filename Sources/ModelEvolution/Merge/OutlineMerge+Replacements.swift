extension OutlineMerge {
  /// Reports elements that both sides removed and replaced by an equal one with a different name. Editors rename this
  /// way unless a renaming identifier is set by hand. The merged model has both replacements.
  mutating func reportRivalReplacements() {
    let added = (additions(ours, without: theirs), additions(theirs, without: ours))
    guard !added.0.isEmpty, !added.1.isEmpty else { return }
    var taken: Set<ModelPath> = []
    for (identity, before) in base.entries where ours[identity] == nil && theirs[identity] == nil {
      func replacement(_ added: [ModelPath], in side: IdentifiedOutline) -> ModelPath? {
        added.first { !taken.contains($0) && replaces($0, of: side, identity, before: before) }
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
            + " except for the name: one of them is enough if it was renamed (the merged model has both)"
        )
      }
    }
  }

  /// The entities and properties that only this side added.
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

  /// Whether an addition equals an element of the base except for its name: a property with the same settings, or an
  /// entity with properties of the same names.
  private func replaces(
    _ addition: ModelPath, of side: IdentifiedOutline, _ identity: ModelPath,
    before: IdentifiedOutline.Entry
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
