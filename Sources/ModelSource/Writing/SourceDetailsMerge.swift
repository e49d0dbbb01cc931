import DataModels
import PredicateFormat

/// The three-way merge of content that only sources have (``SourceDetails``): element by element, attribute by
/// attribute, comment by comment. A merge of models doesn't include it.
///
/// The trees use the merged model's names (``SourceAlignment``). Different changes by both sides are a conflict, unless
/// ``SourceDetails/Settlement`` determines how to resolve them.
struct SourceDetailsMerge {
  /// Whether their edit is used rather than ours if both sides changed something differently.
  var prefersTheirs = false
  private(set) var conflicts: [SourceConflict] = []
  /// The path to the element being merged.
  var place: [SourceConflict.Place] = []

  init(prefersTheirs: Bool) {
    self.prefersTheirs = prefersTheirs
  }

  /// Merges the changes made by another source since `base` into a source.
  ///
  /// - Parameter written: The element as written for the merged model; nil when the model doesn't have it.
  // The recursion follows the tree, whose depth is bounded by the parser.
  mutating func merge(
    base: SourceElement?, theirs: SourceElement, into ours: inout SourceElement,
    written: SourceElement?
  ) {
    mergeAttributes(base: base, theirs: theirs, into: &ours)
    ours.text =
      merge("text", base: base?.text ?? "", ours: ours.text, theirs: theirs.text, none: "") ?? ""
    ours.comments = merge(
      comments: base?.comments ?? [], ours: ours.comments, theirs: theirs.comments)
    ours.innerComments = merge(
      comments: base?.innerComments ?? [], ours: ours.innerComments, theirs: theirs.innerComments)
    mergeChildren(base: base, theirs: theirs, into: &ours, written: written)
  }

  mutating func contest(
    _ subject: String, base: String?, ours: String?, theirs: String?,
    kind: SourceConflict.Kind? = nil, keepsOurs: Bool? = nil
  ) {
    let usual: SourceConflict.Kind =
      base == nil
      ? .addedDifferently : ours == nil || theirs == nil ? .removedAndChanged : .changedDifferently
    conflicts.append(
      SourceConflict(
        kind: kind ?? usual, place: place, subject: subject, base: base, ours: ours, theirs: theirs,
        keepsOurs: keepsOurs ?? !prefersTheirs))
  }

  /// Merges a single value, where `none` represents the absence of a value.
  private mutating func merge(
    _ subject: String, base: String?, ours: String?, theirs: String?, none: String? = nil
  ) -> String? {
    if SourceMerge.isSame(ours, theirs) || SourceMerge.isSame(theirs, base) { return ours }
    if SourceMerge.isSame(ours, base) { return theirs }
    func said(_ text: String?) -> String? { text == none ? nil : text }
    contest(subject, base: said(base), ours: said(ours), theirs: said(theirs))
    return prefersTheirs ? theirs : ours
  }

  private mutating func mergeAttributes(
    base: SourceElement?, theirs: SourceElement, into ours: inout SourceElement
  ) {
    let names = Set(((base?.attributes ?? []) + theirs.attributes).map(\.name))
    for name in names.sorted()
    where isInComposite || SourceDetails.isMerged(attribute: name, of: ours.name) {
      let (before, mine, yours) = (base?[name], ours[name], theirs[name])
      guard !SourceMerge.isSame(mine, yours) else { continue }
      let value: String?
      switch SourceDetails.settlement(of: name, in: ours.name) {
      case _ where SourceMerge.isSame(yours, before): value = mine
      case _ where SourceMerge.isSame(mine, before): value = yours
      case .newer:
        value = [mine, yours].compactMap { $0 }.max { SourceDetails.isOlder($0, than: $1) }
      case .ours: value = mine
      case .nobody: value = merge(name, base: before, ours: mine, theirs: yours)
      }
      if let value, mine == nil {
        XcodeOrder.insert(SourceAttribute(name, value), into: &ours)
      } else {
        ours[name] = value
      }
    }
  }

  // MARK: Comments

  /// Merges the comments at one location.
  mutating func merge(
    comments base: [String], ours: [String], theirs: [String]
  ) -> [String] {
    func exact(_ comments: [String]) -> [ExactText] { comments.map(ExactText.init) }
    guard let merged = Self.merge(base: exact(base), ours: exact(ours), theirs: exact(theirs))
    else {
      func said(_ comments: [String]) -> String? {
        comments.isEmpty ? nil : comments.map(SourceFormatter.markup).joined()
      }
      contest("comments", base: said(base), ours: said(ours), theirs: said(theirs))
      return prefersTheirs ? theirs : ours
    }
    return merged.map(\.text)
  }

  /// The remaining items of `base` and the additions of both sides; nil if both changed the same item differently, or
  /// if one side changed an item that the other removed.
  private static func merge<Item: Hashable>(
    base: [Item], ours: [Item], theirs: [Item]
  ) -> [Item]? {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    let gone = (base.without(ours), base.without(theirs))
    let added = (ours.without(base), theirs.without(base))
    let isGoneFromBoth = gone.0.count > gone.0.without(gone.1).count
    if isGoneFromBoth, added.0 != added.1 { return nil }
    var merged = ours.without(gone.1)
    let new = added.1.without(added.0)
    var previous: Item?
    var left = new
    for item in theirs {
      if let place = left.firstIndex(of: item) {
        left.remove(at: place)
        let after = previous.flatMap { merged.lastIndex(of: $0) }
        merged.insert(item, at: after.map { $0 + 1 } ?? merged.endIndex)
      }
      previous = item
    }
    return merged
  }

  // MARK: Children

  private mutating func mergeChildren(
    base: SourceElement?, theirs: SourceElement, into ours: inout SourceElement,
    written: SourceElement?
  ) {
    let several = severalUnknown(base: base, ours: ours, theirs: theirs)
    let mine = ours
    let before = base?.children.byIdentity ?? [:]
    let model = written?.children.byIdentity ?? [:]
    let yours = theirs.children.byIdentity
    var present = Set<SourceIdentity>()
    var merged: [SourceElement] = []
    for (identity, child) in ours.children.identified {
      present.insert(identity)
      if several.contains(identity.kind) {
        merged.append(child)
        continue
      }
      place.append(SourceConflict.Place(kind: identity.kind, name: identity.name))
      defer { place.removeLast() }
      if let other = yours[identity] {
        var element = child
        merge(
          base: before[identity], theirs: other, into: &element, written: model[identity])
        merged.append(element)
      } else if keeps(
        child, before[identity], isOurs: true, isInModel: model[identity] != nil)
      {
        merged.append(child)
      }
    }
    ours.children = merged
    for (identity, child) in theirs.children.identified
    where !present.contains(identity) && !several.contains(identity.kind) {
      place.append(SourceConflict.Place(kind: identity.kind, name: identity.name))
      defer { place.removeLast() }
      let isKept = keeps(
        child, before[identity], isOurs: false, isInModel: model[identity] != nil)
      if isKept, isInComposite || SourceDetails.isDetail(child) {
        XcodeOrder.insert(child, into: &ours)
      }
    }
    for kind in several.sorted() { mergeUnknown(kind, base: base, theirs: theirs, into: &ours) }
    if ours.name == "composite" { arrange(&ours, base: base, ours: mine, theirs: theirs) }
  }

  /// Whether to keep an element that only one side has, unless the model determines that.
  private mutating func keeps(
    _ child: SourceElement, _ base: SourceElement?, isOurs: Bool, isInModel: Bool
  ) -> Bool {
    guard let base, !isInModel else { return true }
    // What both sides removed needs no decision.
    let old = isInComposite ? base.withoutOffsets() : SourceDetails.remarks(of: base, leftIn: child)
    let new = isInComposite ? child.withoutOffsets() : SourceDetails.remarks(of: child)
    let isDetail = isInComposite || SourceDetails.isDetail(child)
    guard old != new else { return !isDetail }
    let (subject, last) = ("<\(child.name)>", place.popLast())
    defer { if let last { place.append(last) } }
    let name = last?.name.map { " \(ModelNames.plain($0))" } ?? ""
    contest(
      subject + name, base: Self.text(of: old), ours: isOurs ? Self.text(of: new) : nil,
      theirs: isOurs ? nil : Self.text(of: new), keepsOurs: isDetail ? nil : !isOurs)
    return !isDetail || isOurs != prefersTheirs
  }

  /// An element on one line.
  private static func text(of element: SourceElement) -> String {
    var lines = SourceFormatter.format(element).split(separator: "\n")
    lines.removeFirst()
    return lines.map { $0.drop { $0 == " " } }.joined()
  }

  /// The kinds of unknown, unnamed elements of which there are several in one place. Since they can't be matched
  /// individually, they are merged like comments.
  private func severalUnknown(
    base: SourceElement?, ours: SourceElement, theirs: SourceElement
  ) -> Set<String> {
    var kinds = Set<String>()
    for element in [base, ours, theirs].compactMap({ $0 }) {
      for (identity, child) in element.children.identified
      where identity.occurrence > 0 && !SourceDetails.isKnown(child) { kinds.insert(child.name) }
    }
    return kinds
  }

  private mutating func mergeUnknown(
    _ kind: String, base: SourceElement?, theirs: SourceElement, into ours: inout SourceElement
  ) {
    func elements(_ element: SourceElement?) -> [SourceElement] {
      element?.children(named: kind).map { $0.withoutOffsets() } ?? []
    }
    let (old, mine, yours) = (elements(base), elements(ours), elements(theirs))
    var merged = Self.merge(base: old, ours: mine, theirs: yours)
    if merged == nil {
      func said(_ elements: [SourceElement]) -> String? {
        elements.isEmpty ? nil : elements.map(Self.text).joined()
      }
      contest("<\(kind)>", base: said(old), ours: said(mine), theirs: said(yours))
      merged = prefersTheirs ? yours : mine
    }
    guard let merged, merged != mine else { return }
    ours.children.removeAll { $0.name == kind }
    for child in merged { XcodeOrder.insert(child, into: &ours) }
  }
}

extension Array where Element: Hashable {
  /// The items that remain after removing one occurrence for each of the others.
  fileprivate func without(_ others: [Element]) -> [Element] {
    guard !others.isEmpty else { return self }
    var counts: [Element: Int] = [:]
    for item in others { counts[item, default: 0] += 1 }
    return filter { item in
      guard let count = counts[item], count > 0 else { return true }
      counts[item] = count - 1
      return false
    }
  }
}
