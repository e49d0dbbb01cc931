import PredicateFormat

/// Updates a source to match its model, without touching what hasn't changed.
///
/// This is a three-way merge of trees: `base` is the source's original model as the writer would write it, `current` is
/// the current model, written the same way, and `original` is the source itself. Where base and current agree, the
/// original is kept verbatim, with all content that only sources have (editor layout, scalar types, unknown attributes,
/// comments); where they differ, current wins.
struct SourceMerge {
  /// Whether content that only sources have is taken from the original alone, and not from the writer. This is the case
  /// in merges, where it has already been merged from both sides' sources.
  var keepsDetails = false

  func merge(
    base: SourceElement, current: SourceElement, original: SourceElement
  ) -> SourceElement {
    if base == current || Self.isSameSet(base, current) { return original }
    var result = original
    mergeAttributes(base: base, current: current, into: &result)
    if Self.isAtomic(original.name) {
      replaceChildren(base: base, current: current, of: &result)
    } else {
      mergeChildren(base: base, current: current, into: &result)
    }
    return result
  }

  /// Elements whose children are in the model's order: they are replaced as a whole, except for content that only
  /// sources have.
  private static func isAtomic(_ name: String) -> Bool {
    switch name {
    case "uniquenessConstraints", "compoundIndexes", "fetchIndex", "uniquenessConstraint",
      "compoundIndex":
      true
    default: false
    }
  }

  /// Whether both elements are lists whose order is irrelevant, with the same members.
  private static func isSameSet(_ base: SourceElement, _ current: SourceElement) -> Bool {
    ["uniquenessConstraints", "compoundIndexes"].contains(base.name)
      && base.children.count == current.children.count
      && Set(base.children) == Set(current.children)
  }

  // MARK: Attributes

  private func mergeAttributes(
    base: SourceElement, current: SourceElement, into result: inout SourceElement
  ) {
    func isKept(_ name: String) -> Bool {
      keepsDetails && SourceDetails.isMerged(attribute: name, of: result.name)
    }
    for attribute in base.attributes
    where current[attribute.name] == nil && !isKept(attribute.name) {
      result[attribute.name] = nil
    }
    for attribute in current.attributes
    where !Self.isSame(base[attribute.name], attribute.value) && !isKept(attribute.name) {
      if result[attribute.name] != nil {
        result[attribute.name] = attribute.value
      } else {
        XcodeOrder.insert(attribute, into: &result)
      }
    }
  }

  /// Whether two values are the same to the byte.
  static func isSame(_ one: String?, _ other: String?) -> Bool {
    one.map(ExactText.init) == other.map(ExactText.init)
  }

  // MARK: Children

  private func mergeChildren(
    base: SourceElement, current: SourceElement, into result: inout SourceElement
  ) {
    let baseChildren = base.children.byIdentity
    let currentChildren = current.children.identified
    let currentByIdentity = current.children.byIdentity
    var merged: [SourceElement] = []
    var present: Set<SourceIdentity> = []
    for (identity, child) in result.children.identified {
      present.insert(identity)
      switch (baseChildren[identity], currentByIdentity[identity]) {
      case (let base?, let current?):
        merged.append(merge(base: base, current: current, original: child))
      case (nil, let current?): merged.append(current)
      case (nil, nil): merged.append(child)
      // A composite isn't removed with the last attribute that uses it.
      case (_?, nil): if child.name == "composite" { merged.append(child) }
      }
    }
    let original = result
    result.children = merged
    for (identity, child) in currentChildren where !present.contains(identity) {
      XcodeOrder.insert(child, into: &result)
    }
    if result.name == "composite" {
      // The order of the elements is the model's.
      var details = SourceDetailsMerge(prefersTheirs: true)
      details.arrange(&result, base: base, ours: original, theirs: current)
    }
  }

  /// Replaces the children by those of the model, in the original's form where it has them, followed by the original's
  /// unknown ones.
  private func replaceChildren(
    base: SourceElement, current: SourceElement, of result: inout SourceElement
  ) {
    let baseChildren = base.children.byIdentity
    let originals = result.children.byIdentity
    let unknown = result.children.filter { SourceVocabulary.entries[$0.name] == nil }
    result.children =
      current.children.identified.map { identity, child in
        guard let original = originals[identity], let base = baseChildren[identity] else {
          return child
        }
        return merge(base: base, current: child, original: original)
      } + unknown
  }
}

/// The identity of a child across sources: its kind, and its name if it has one, or else what it refers to; if several
/// children are equal in these, also the number of the occurrence.
struct SourceIdentity: Hashable {
  let kind: String
  let name: String?
  fileprivate(set) var occurrence = 0

  init(_ element: SourceElement) {
    kind = element.name
    name =
      switch element.name {
      case "entry": element["key"]
      case "constraint", "index": element["value"]
      case "uniquenessConstraint", "compoundIndex":
        element.children.compactMap { $0["value"] }.joined(separator: ",")
      case "fetchIndexElement": element["property"] ?? element["expression"]
      default: element["name"] ?? element["key"]
      }
  }
}

extension Sequence<SourceElement> {
  /// The elements with their identities.
  var identified: [(SourceIdentity, SourceElement)] {
    var counts: [SourceIdentity: Int] = [:]
    return map { element in
      var identity = SourceIdentity(element)
      let count = counts[identity, default: 0]
      counts[identity] = count + 1
      identity.occurrence = count
      return (identity, element)
    }
  }

  /// The elements by identity.
  var byIdentity: [SourceIdentity: SourceElement] {
    Dictionary(identified, uniquingKeysWith: { first, _ in first })
  }

  /// The indexes of the elements by identity.
  var placesByIdentity: [SourceIdentity: Int] {
    Dictionary(
      identified.enumerated().map { ($1.0, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
