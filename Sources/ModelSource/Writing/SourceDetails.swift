/// What only sources say, and no model: the editor's layout, scalar types, generated classes, the tools
/// that wrote them, comments, and whatever isn't known.
///
/// A merge of models knows nothing of it; here it merges by itself, element by element and attribute by
/// attribute. What both sides changed is as our side has it, for nothing that a model does depends on it.
enum SourceDetails {
  /// Brings the changes that another source made since `base` into a source.
  static func merge(
    base: SourceElement, theirs: SourceElement, into ours: inout SourceElement
  ) {
    mergeAttributes(base: base, theirs: theirs, into: &ours)
    if base.comments != theirs.comments, ours.comments == base.comments {
      ours.comments = theirs.comments
    }
    if base.innerComments != theirs.innerComments, ours.innerComments == base.innerComments {
      ours.innerComments = theirs.innerComments
    }
    let before = base.children.byIdentity
    let present = ours.children.placesByIdentity
    for child in theirs.children {
      let identity = SourceIdentity(child)
      if let place = present[identity] {
        guard let known = before[identity], !SourceMerge.isAtomic(child.name) else { continue }
        var merged = ours.children[place]
        merge(base: known, theirs: child, into: &merged)
        ours.children[place] = merged
      } else if before[identity] == nil, isDetail(child) {
        XcodeOrder.insert(child, into: &ours)
      }
    }
    let kept = Set(theirs.children.map(SourceIdentity.init))
    ours.children.removeAll { child in
      let identity = SourceIdentity(child)
      return isDetail(child) && !kept.contains(identity)
        && before[identity]?.withoutOffsets() == child.withoutOffsets()
    }
  }

  private static func mergeAttributes(
    base: SourceElement, theirs: SourceElement, into ours: inout SourceElement
  ) {
    let names = Set((base.attributes + theirs.attributes).map(\.name))
    for name in names.sorted() where isDetail(attribute: name, of: ours.name) {
      guard base[name] != theirs[name], ours[name] == base[name] else { continue }
      if let value = theirs[name], ours[name] == nil {
        XcodeOrder.insert(SourceAttribute(name, value), into: &ours)
      } else {
        ours[name] = theirs[name]
      }
    }
  }

  // MARK: What is a detail

  private static let details: [String: Set<String>] = [
    "model": [
      "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
      "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData", "macOSVersion", "iOSVersion",
    ],
    "entity": ["syncable", "codeGenerationType"],
    "attribute": ["usesScalarValueType", "syncable"],
    "relationship": ["syncable"],
    "fetchedProperty": ["syncable"],
    "configuration": ["usedWithCloudKit"],
    "element": ["positionX", "positionY", "width", "height"],
  ]

  private static func isDetail(attribute: String, of element: String) -> Bool {
    details[element]?.contains(attribute) ?? false
      || SourceVocabulary.entries[element]?.attributes.contains(attribute) != true
  }

  /// Whether an element is the editor's, or unknown.
  private static func isDetail(_ element: SourceElement) -> Bool {
    element.name == "elements" || element.name == "element"
      || SourceVocabulary.entries[element.name] == nil
  }
}
