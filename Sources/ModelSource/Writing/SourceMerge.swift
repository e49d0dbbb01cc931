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
    if base == current { return original }
    guard !isAtomic(original.name) else { return current }
    var result = original
    mergeAttributes(base: base, current: current, into: &result)
    mergeChildren(base: base, current: current, into: &result)
    return result
  }

  /// Elements whose children have no names to find them by: they change as a whole.
  private static func isAtomic(_ name: String) -> Bool {
    switch name {
    case "uniquenessConstraints", "compoundIndexes", "fetchIndex": true
    default: false
    }
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

  /// What makes a child the same child: its kind, and its name if it has one.
  private struct Identity: Hashable {
    var kind: String
    var name: String?

    init(_ element: SourceElement) {
      kind = element.name
      name = element["name"] ?? element["key"]
    }
  }

  private static func mergeChildren(
    base: SourceElement, current: SourceElement, into result: inout SourceElement
  ) {
    let baseChildren = index(base.children)
    let currentChildren = index(current.children)
    var merged: [SourceElement] = []
    var present: Set<Identity> = []
    for child in result.children {
      let identity = Identity(child)
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
    for child in current.children where !present.contains(Identity(child)) {
      XcodeOrder.insert(child, into: &result)
    }
  }

  private static func index(_ children: [SourceElement]) -> [Identity: SourceElement] {
    Dictionary(children.map { (Identity($0), $0) }, uniquingKeysWith: { first, _ in first })
  }
}
