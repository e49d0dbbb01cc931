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
  /// Whether what ours removed is gone although theirs changed it; otherwise, such an element is kept.
  let removesOurs: Bool

  init(
    base: ModelOutline, ours: ModelOutline, theirs: ModelOutline, removesOurs: Bool = false
  ) {
    self.removesOurs = removesOurs
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
      case (nil, nil, let only?) where removesOurs && isOwnerRemoved(of: only):
        break
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

  /// Whether ours removed the entity that an addition of theirs belongs to.
  private func isOwnerRemoved(of entry: Entry) -> Bool {
    guard let home = entry.home else { return false }
    return base[.entity(home)] != nil && ours[.entity(home)] == nil
  }

  /// Drops an element that one side removed, unless the other changed it.
  private mutating func keepUnlessSame(
    _ identity: ModelPath, _ entry: Entry, as before: Entry, remover: MergeSide
  ) {
    guard entry != before else {
      removers[identity] = remover
      return
    }
    if removesOurs, remover == .ours {
      removers[identity] = remover
    } else {
      merged[identity] = entry
    }
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
