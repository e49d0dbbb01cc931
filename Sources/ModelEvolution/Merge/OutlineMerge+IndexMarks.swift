// The "indexed" checkbox of properties. Compilers create an index for an attribute that has it, unless the attribute is
// transient; outlines contain either the index or the checkbox. A merge treats the checkbox as the user's edit, and
// derives the index from it.

extension ModelElement {
  /// Whether a property is marked as indexed.
  var isMarkedAsIndexed: Bool {
    get { self["indexed"].isTrue }
    set {
      if let index = Fact.index(of: "indexed", for: kind) { values[index] = .flag(newValue) }
    }
  }
}

extension ModelOutline {
  /// Whether an attribute has the index that compilers create for the checkbox.
  func hasSynthesizedIndex(over path: ModelPath) -> Bool {
    guard case .property(let name, let home) = path, self[path]?.kind.isAttribute == true else {
      return false
    }
    return self[.index(name, of: home)]?.synthesizingProperties == [name]
  }
}

extension IdentifiedOutline {
  /// Whether the attribute's index is consistent with its checkbox. This is not the case for models that weren't
  /// compiled from a source.
  fileprivate func followsMark(_ identity: ModelPath) -> Bool {
    guard let element = entries[identity]?.element, element.kind.isAttribute else { return true }
    let isIndexed =
      entries[identity.synthesizedIndex]?.element.synthesizingProperties
      == [PropertyIdentity.encode(identity)]
    return isIndexed == element.wantsIndex
  }
}

extension ModelElement {
  /// Whether compilers create an index for the attribute.
  fileprivate var wantsIndex: Bool { isMarkedAsIndexed && !self["transient"].isTrue }
}

extension ModelPath {
  /// The identity of the index that a compiler creates for an attribute.
  fileprivate var synthesizedIndex: ModelPath { .index(name, of: entityName ?? "") }
}

extension OutlineMerge {
  /// Creates and removes the indexes that follow from checkboxes.
  mutating func settleIndexMarks() {
    for (identity, entry) in merged where entry.element.kind.isAttribute {
      let index = identity.synthesizedIndex
      let reference = PropertyIdentity.encode(identity)
      let isIndexed = merged[index]?.element.synthesizingProperties == [reference]
      guard ours.followsMark(identity), theirs.followsMark(identity),
        isIndexed != entry.element.wantsIndex
      else { continue }
      if isIndexed {
        merged[index] = nil
      } else if merged[index] == nil {
        let element = ModelElement.synthesizedIndex(over: .property(reference))
        merged[index] = Entry(name: index.name, home: nil, element: element, shown: element)
      }
    }
    // As in reading outlines, an index over a single property is equivalent to the checkbox.
    for entry in Array(merged.values) where entry.element.kind == .index {
      let elements = entry.element["elements"].members
      guard elements.count == 1, elements[0].fields["expression"] == nil,
        let identity = elements[0].fields["property"]?.propertyName
          .flatMap(PropertyIdentity.decode),
        entry.home == nil || entry.home == merged[identity]?.home
      else { continue }
      merged[identity]?.element.isMarkedAsIndexed = false
    }
  }
}
