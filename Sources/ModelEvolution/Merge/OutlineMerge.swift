import OrderedCollections

/// The three-way merge of outlines: element by element, fact by fact, and finally with regard to the model as a whole
/// (see `OutlineMerge+Consistency.swift`).
struct OutlineMerge {
  typealias Entry = IdentifiedOutline.Entry

  let base: IdentifiedOutline
  let ours: IdentifiedOutline
  let theirs: IdentifiedOutline
  var merged: OrderedDictionary<ModelPath, Entry> = [:]
  /// The side that removed each element dropped by the merge.
  var removers: [ModelPath: MergeSide] = [:]
  /// Conflicts by identity; their paths are determined when the final names are known.
  var pending: [(ModelPath, (ModelPath) -> MergeConflict)] = []

  init(base: ModelOutline, ours: ModelOutline, theirs: ModelOutline) {
    self.base = IdentifiedOutline(base: base)
    self.ours = IdentifiedOutline(
      ours, base: base, matching: ElementMatching(from: base, to: ours))
    self.theirs = IdentifiedOutline(
      theirs, base: base, matching: ElementMatching(from: base, to: theirs))
    mergeElements()
    reportRegrouping()
    reportRivalReplacements()
    restoreUsed()
    breakCycles()
    pairInverses()
    separateNames()
    reportRetyping()
  }

  /// The entries of a side.
  func entries(of side: MergeSide) -> IdentifiedOutline { side == .ours ? ours : theirs }

  mutating func conflict(
    _ identity: ModelPath, _ make: @escaping (ModelPath) -> MergeConflict
  ) {
    pending.append((identity, make))
  }

  private mutating func mergeElements() {
    merged.reserveCapacity(ours.entries.count)
    var identities = OrderedSet(ours.entries.keys)
    identities.formUnion(theirs.entries.keys)
    for identity in identities {
      switch (base[identity], ours[identity], theirs[identity]) {
      case (let before, let mine?, let yours?):
        merged[identity] = merge(identity, base: before, ours: mine, theirs: yours)
      case (nil, let only?, nil), (nil, nil, let only?):
        merged[identity] = only
      case (let before?, let mine?, nil):
        keepUnlessSame(identity, mine, as: before, remover: .theirs)
      case (let before?, nil, let yours?):
        keepUnlessSame(identity, yours, as: before, remover: .ours)
      case (_, nil, nil):
        break
      }
    }
  }

  /// Drops an element that one side removed, unless the other changed it.
  private mutating func keepUnlessSame(
    _ identity: ModelPath, _ entry: Entry, as before: Entry, remover: MergeSide
  ) {
    guard entry != before else {
      removers[identity] = remover
      return
    }
    merged[identity] = entry
    let changes = changedFacts(before, entry)
    conflict(identity) { path in
      MergeConflict(
        .removedAndChanged, at: path, taken: remover.other,
        "\(remover.rawValue) removed it, \(remover.other.rawValue) changed \(changes)")
    }
  }

  private func changedFacts(_ before: Entry, _ after: Entry) -> String {
    var names = before.name == after.name ? [] : ["the name"]
    if before.home != after.home { names.append("the place") }
    if before.element.kind == after.element.kind {
      names += before.element.facts.enumerated()
        .filter { $0.element.1 != after.element.values[$0.offset] }.map(\.element.0.name)
    } else {
      names.append("the kind")
    }
    return names.joined(separator: ", ")
  }

  private mutating func merge(
    _ identity: ModelPath, base before: Entry?, ours mine: Entry, theirs yours: Entry
  ) -> Entry {
    guard mine != yours else { return mine }
    guard mine.element.kind == yours.element.kind else {
      conflict(identity) { path in
        MergeConflict(
          .addedDifferently, at: path, ours: .text(mine.element.kind.rawValue),
          theirs: .text(yours.element.kind.rawValue), taken: .ours,
          "ours is a \(mine.element.kind.rawValue), theirs a \(yours.element.kind.rawValue)")
      }
      return mine
    }
    var result = mine
    result.name = mergePlace(
      of: identity, base: before?.name, ours: mine.name, theirs: yours.name,
      kind: .renamedDifferently)
    let home = mergePlace(
      of: identity, base: before.map { $0.home ?? "" }, ours: mine.home ?? "",
      theirs: yours.home ?? "", kind: .movedDifferently)
    result.home = mine.home == nil && yours.home == nil ? nil : home
    let isTypeContested =
      before.map { reportType(of: identity, base: $0, ours: mine, theirs: yours) } ?? false
    for (index, fact) in Fact.table(for: mine.element.kind).enumerated() {
      // Our type is kept, together with the facts that depend on it.
      if isTypeContested, fact.dependsOnType || fact.name == "type" { continue }
      let (value, isConflict) = ValueMerge.merge(
        base: before?.element.values[index], ours: mine.element.values[index],
        theirs: yours.element.values[index], fact.merging)
      result.element.values[index] = value
      guard isConflict else { continue }
      let shown = (
        before?.shown.values[index] ?? .none, mine.shown.values[index], yours.shown.values[index]
      )
      if shown.1 == shown.2 {
        conflict(identity) { path in
          MergeConflict(
            before == nil ? .addedDifferently : .changedDifferently, at: path, fact: fact.name,
            base: shown.0, ours: shown.1, theirs: shown.2, taken: .ours,
            "both say \(shown.1), but mean different things with that name")
        }
        continue
      }
      conflict(identity) { path in
        MergeConflict(
          before == nil ? .addedDifferently : .changedDifferently, at: path, fact: fact.name,
          base: shown.0, ours: shown.1, theirs: shown.2, taken: .ours,
          before == nil
            ? "both added it: ours says \(shown.1), theirs \(shown.2)"
            : "was \(shown.0); ours made it \(shown.1), theirs \(shown.2)")
      }
    }
    return result
  }

  /// Merges a name or a location.
  private mutating func mergePlace(
    of identity: ModelPath, base before: String?, ours mine: String, theirs yours: String,
    kind: MergeConflict.Kind
  ) -> String {
    if mine == yours || yours == before { return mine }
    if mine == before { return yours }
    conflict(identity) { path in
      MergeConflict(
        kind, at: path, base: .optionalText(before), ours: .text(mine), theirs: .text(yours),
        taken: .ours,
        kind == .renamedDifferently
          ? "ours called it \(mine), theirs \(yours)"
          : "ours moved it to \(mine), theirs to \(yours)")
    }
    return mine
  }
}

/// The merge of two edits of one fact.
enum ValueMerge {
  /// The merged value, and whether the edits contradict each other; if so, our edit is used.
  static func merge(
    base: ModelValue?, ours: ModelValue, theirs: ModelValue, _ merging: Fact.Merging
  ) -> (value: ModelValue, isConflict: Bool) {
    if ours == theirs || theirs == base { return (ours, false) }
    if ours == base { return (theirs, false) }
    switch merging {
    case .whole:
      return (ours, true)
    case .members:
      let base = Set(base?.members ?? [])
      let mine = Set(ours.members)
      let yours = Set(theirs.members)
      let kept = base.filter { mine.contains($0) && yours.contains($0) }
      let (added, theirsAdded) = (mine.subtracting(base), yours.subtracting(base))
      // A member that neither side still has was edited by a side that added one with common parts. There is a conflict
      // if the other side removed it or edited it differently.
      let isContested = base.subtracting(mine).subtracting(yours).contains { gone in
        added.filter(gone.sharesMembers(with:)) != theirsAdded.filter(gone.sharesMembers(with:))
      }
      if isContested { return (ours, true) }
      return (.members(kept.union(added).union(theirsAdded)), false)
    case .fields:
      return mergeFields(base: base, ours: ours, theirs: theirs)
    case .latest:
      guard let mine = ours.members.first, let yours = theirs.members.first,
        ours.members.count == 1, theirs.members.count == 1, (base?.members.count ?? 0) < 2
      else { return merge(base: base, ours: ours, theirs: theirs, .members) }
      let isLater = VersionName.precedes(mine.text ?? "", yours.text ?? "")
      return (isLater ? theirs : ours, false)
    }
  }

  private static func mergeFields(
    base: ModelValue?, ours: ModelValue, theirs: ModelValue
  ) -> (value: ModelValue, isConflict: Bool) {
    var merged: [String: ModelValue] = [:]
    var isConflict = false
    for key in Set(ours.fields.keys).union(theirs.fields.keys) {
      let before = base?.fields[key] ?? .none
      let mine = ours.fields[key] ?? .none
      let yours = theirs.fields[key] ?? .none
      let value: ModelValue
      if mine == yours || yours == before {
        value = mine
      } else if mine == before {
        value = yours
      } else {
        value = mine
        isConflict = true
      }
      if value != .none { merged[key] = value }
    }
    return (merged.isEmpty ? .none : .record(merged), isConflict)
  }
}

extension ModelValue {
  /// Whether two lists, such as constraints over several attributes, have a common element.
  fileprivate func sharesMembers(with other: ModelValue) -> Bool {
    !Set(members).isDisjoint(with: other.members)
  }
}
