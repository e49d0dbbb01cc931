/// Brings a source up to date with its model, and leaves alone what didn't change.
///
/// A three-way merge of trees: `base` is the source's model as the writer would write it, `current`
/// the model as it is now, written the same way, and `original` the source itself. Where base and
/// current agree, the original stays, letter by letter, with everything only a source can say
/// (editor layout, scalar types, unknown attributes, comments); where they differ, current wins.
enum SourceMerge {
  static func merge(
    base: SourceElement, current: SourceElement, original: SourceElement
  ) -> SourceElement {
    if base == current || isSameSet(base, current) { return original }
    guard !isAtomic(original.name) else { return current }
    var result = original
    mergeAttributes(base: base, current: current, into: &result)
    mergeChildren(base: base, current: current, into: &result)
    return result
  }

  /// Elements whose children have no names to find them by: they change as a whole.
  static func isAtomic(_ name: String) -> Bool {
    switch name {
    case "uniquenessConstraints", "compoundIndexes", "fetchIndex": true
    default: false
    }
  }

  /// Whether the elements are lists whose order means nothing, with the same members.
  private static func isSameSet(_ base: SourceElement, _ current: SourceElement) -> Bool {
    ["uniquenessConstraints", "compoundIndexes"].contains(base.name)
      && base.children.count == current.children.count
      && Set(base.children) == Set(current.children)
  }

  // MARK: Attributes

  private static func mergeAttributes(
    base: SourceElement, current: SourceElement, into result: inout SourceElement
  ) {
    for attribute in base.attributes where current[attribute.name] == nil {
      result[attribute.name] = nil
    }
    for attribute in current.attributes where base[attribute.name] != attribute.value {
      if result[attribute.name] != nil {
        result[attribute.name] = attribute.value
      } else {
        XcodeOrder.insert(attribute, into: &result)
      }
    }
  }

  // MARK: Children

  private static func mergeChildren(
    base: SourceElement, current: SourceElement, into result: inout SourceElement
  ) {
    let baseChildren = base.children.byIdentity
    let currentChildren = current.children.byIdentity
    var merged: [SourceElement] = []
    var present: Set<SourceIdentity> = []
    for child in result.children {
      let identity = SourceIdentity(child)
      present.insert(identity)
      switch (baseChildren[identity], currentChildren[identity]) {
      case (let base?, let current?):
        merged.append(merge(base: base, current: current, original: child))
      case (nil, let current?): merged.append(current)
      case (nil, nil): merged.append(child)
      case (_?, nil): break
      }
    }
    result.children = merged
    for child in current.children where !present.contains(SourceIdentity(child)) {
      XcodeOrder.insert(child, into: &result)
    }
  }
}

/// What makes a child the same child in two sources: its kind, and its name if it has one.
struct SourceIdentity: Hashable {
  let kind: String
  let name: String?

  init(_ element: SourceElement) {
    kind = element.name
    name = element["name"] ?? element["key"]
  }
}

extension Sequence<SourceElement> {
  /// The elements by what they are; of several the first.
  var byIdentity: [SourceIdentity: SourceElement] {
    Dictionary(map { (SourceIdentity($0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Where the elements are by what they are; of several the first.
  var placesByIdentity: [SourceIdentity: Int] {
    Dictionary(
      enumerated().map { (SourceIdentity($1), $0) }, uniquingKeysWith: { first, _ in first })
  }
}
