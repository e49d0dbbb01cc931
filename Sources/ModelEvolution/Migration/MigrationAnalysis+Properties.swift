import DataModels

extension MigrationAnalysis {
  /// Analyses a property that both models have.
  mutating func judge(
    _ old: InferredMatching.Visible, _ new: InferredMatching.Visible,
    in pair: InferredMatching.EntityPair
  ) {
    let isRelationship = new.isRelationship
    // An unchanged relationship may refer to an entity name that now denotes another entity.
    if !isRelationship || !matching.hasRenamedEntities, old.isSame(as: new) { return }
    if old.name != new.name {
      find(.propertyRenamed, at: new.path, "\(pair.new).\(old.name) is now called \(new.name)")
    }
    let oldHome = old.path.entityName ?? ""
    if (matching.newNames[oldHome] ?? oldHome) != new.path.entityName {
      find(.propertyMoved, at: new.path, "\(new.path) was declared in \(oldHome)")
    }
    let wasStored = old.element.entersEntityHash
    let isStored = new.element.entersEntityHash
    guard wasStored, isStored else {
      if isStored {
        judgePersistent(new, in: pair)
      } else if wasStored {
        find(.propertyTransient, at: new.path, "\(new.path) is now transient: its values are lost")
      }
      return
    }
    if old.element["versionHashModifier"] != new.element["versionHashModifier"] {
      find(.propertyModifier, at: new.path, "\(new.path) has a different hash modifier")
    }
    if isRelationship {
      judgeRelationship(old, new, in: pair)
    } else {
      judgeAttribute(old.element, new.element, at: new.path)
    }
  }

  /// Analyses the properties of an entity whose properties are all unchanged: the destination of a relationship may
  /// have changed.
  mutating func judgeDestinations(of pair: InferredMatching.EntityPair) {
    guard matching.hasRenamedEntities else { return }
    for (old, new) in pair.properties where new.isRelationship { judge(old, new, in: pair) }
  }

  /// A formerly transient property that is now stored is treated like a new one.
  private mutating func judgePersistent(
    _ property: InferredMatching.Visible, in pair: InferredMatching.EntityPair
  ) {
    let element = property.element
    if element.kind != .derivedAttribute, element.demandsValue, !element.fillsItself(insteadOf: nil)
    {
      find(
        property.isRelationship ? .relationshipAddedMandatory : .attributeAddedMandatory,
        at: property.path,
        "\(property.path) is now stored and mandatory; migration fails if \(pair.new) has objects",
        suggestion: "give it a default, or make it optional")
    } else {
      find(.propertyPersistent, at: property.path, "\(property.path) is now stored")
    }
  }

  private mutating func judgeAttribute(
    _ old: ModelElement, _ new: ModelElement, at path: ModelPath
  ) {
    if new.kind == .derivedAttribute || old.kind == .derivedAttribute {
      if old != new { find(.attributeDerivation, at: path, "\(path) is derived differently") }
      if new.kind == .derivedAttribute { return }
    }
    if new.kind == .compositeAttribute, old.kind == .compositeAttribute {
      if old["elements"] != new["elements"] {
        find(.attributeElements, at: path, "\(path) has different elements")
        judgeElements(old["elements"], new["elements"], at: path)
      }
      judgeOptionality(old, new, at: path)
      return
    }
    judgeType(old, new, at: path)
    judgeStorage(old, new, at: path)
    if old["preservedOnDeletion"] != new["preservedOnDeletion"] {
      find(.preservedOnDeletion, at: path, "\(path): preservation after deletion changed")
    }
    judgeOptionality(old, new, at: path)
  }

  /// Analyses the elements that continue others: each has a column of its own, which is converted as an attribute's.
  // The recursion's depth was bounded by reading.
  private mutating func judgeElements(_ old: ModelValue, _ new: ModelValue, at path: ModelPath) {
    for (name, before, after) in CompositeElements.continued(from: old, to: new)
    where before.entersEntityHash && after.entersEntityHash {
      let path = path.renamed("\(path.name).\(name)")
      if before.kind == .compositeAttribute, after.kind == .compositeAttribute {
        judgeElements(before["elements"], after["elements"], at: path)
      } else {
        judgeType(before, after, at: path)
        judgeStorage(before, after, at: path)
      }
    }
  }

  private mutating func judgeOptionality(
    _ old: ModelElement, _ new: ModelElement, at path: ModelPath
  ) {
    switch (old["optional"].isTrue, new["optional"].isTrue) {
    case (true, false) where !new.fillsItself(insteadOf: old):
      find(
        .attributeMandatory, at: path,
        "\(path) is now mandatory, without a default; migration fails if an object lacks it",
        suggestion: "give it a default, which fills the gaps")
    case (true, false):
      find(
        .attributeMandatoryWithDefault, at: path,
        "\(path) is now mandatory; gaps are filled with \(new.describedDefault)")
    case (false, true): find(.attributeOptional, at: path, "\(path) is now optional")
    default: break
    }
  }

  private mutating func judgeType(_ old: ModelElement, _ new: ModelElement, at path: ModelPath) {
    let before = old["type"]
    let after = new["type"]
    guard before != after, let from = before.attributeType, let into = after.attributeType else {
      return
    }
    if from.isNumber, into.isNumber, from.fits(into) {
      find(
        .attributeWidened, at: path,
        "\(path) was \(before) and is \(after), which can represent every value")
      return
    }
    if from.isNumber, into.isNumber {
      find(
        .attributeConverted, at: path,
        "\(path) was \(before) and is \(after): values are converted, and cut where they don't fit")
      return
    }
    let pair: Set = [from, into]
    if pair == [.transformableAttributeType, .binaryDataAttributeType],
      new["userInfo"].fields["NSMigrationAllowTypeTransformation"] != nil,
      !old["externalStorage"].isTrue, !new["externalStorage"].isTrue
    {
      find(
        .attributeTransformed, at: path,
        "\(path) was \(before) and is \(after), as its user info allows")
      return
    }
    find(
      .attributeTypeIncompatible, at: path,
      "\(path) was \(before) and is \(after): the types are incompatible",
      suggestion: "add a new attribute of type \(after) beside it in an intermediate version, fill"
        + " it in a custom stage, then remove the old one")
  }

  private mutating func judgeStorage(
    _ old: ModelElement, _ new: ModelElement, at path: ModelPath
  ) {
    switch (old["externalStorage"].isTrue, new["externalStorage"].isTrue) {
    case (false, true):
      find(.attributeExternalized, at: path, "\(path) may now be stored outside the store's file")
    case (true, false):
      find(
        .attributeInlined, at: path,
        "\(path) may no longer be stored outside the store's file; this can't be inferred",
        suggestion: "keep external storage allowed, or copy the values in a custom stage")
    default: break
    }
  }

  private mutating func judgeRelationship(
    _ old: InferredMatching.Visible, _ new: InferredMatching.Visible,
    in pair: InferredMatching.EntityPair
  ) {
    let path = new.path
    let before = old.element
    let after = new.element
    judgeCounts(before, after, at: path)
    if before["ordered"] != after["ordered"] {
      find(
        .relationshipOrder, at: path, "\(path) is \(after["ordered"].isTrue ? "" : "un")ordered now"
      )
    }
    switch (before["optional"].isTrue, after["optional"].isTrue) {
    case (true, false) where !after.demandsValue:
      find(.relationshipUnbounded, at: path, "\(path) is now mandatory, but may still be empty")
    case (true, false):
      find(
        .relationshipMandatory, at: path,
        "\(path) is now mandatory; migration fails if an object lacks it",
        suggestion: "fill it in a custom stage before this version")
    case (false, true): find(.relationshipOptional, at: path, "\(path) is now optional")
    default: break
    }
    judgeReach(old, new, in: pair)
    judgeSharing(old, new, in: pair)
  }

  private mutating func judgeCounts(
    _ before: ModelElement, _ after: ModelElement, at path: ModelPath
  ) {
    let oldMax = before["maxCount"].integer ?? 0
    let newMax = after["maxCount"].integer ?? 0
    switch (oldMax == 1, newMax == 1) {
    case (true, false):
      find(.relationshipWidened, at: path, "\(path) is now to-many")
      if (after["minCount"].integer ?? 0) > 1 { tellBounds(of: after, at: path) }
      return
    case (false, true):
      find(
        .relationshipNarrowed, at: path,
        "\(path) was to-many and is to-one: this can't be inferred",
        suggestion: "add a new to-one relationship beside it, choose its object in a custom stage,"
          + " then remove the old one")
      return
    default: break
    }
    let oldMin = before["minCount"].integer ?? 0
    let newMin = after["minCount"].integer ?? 0
    let isTighter = newMax > 1 && (oldMax < 1 || newMax < oldMax)
    // Without any objects an optional relationship has enough.
    let needsMore = newMin > oldMin && (newMin > 1 || !after["optional"].isTrue)
    if isTighter || needsMore {
      tellBounds(of: after, at: path)
    } else if oldMax != newMax || oldMin != newMin {
      find(.relationshipUnbounded, at: path, "\(path) has different bounds, but no tighter ones")
    }
  }

  private mutating func tellBounds(of relationship: ModelElement, at path: ModelPath) {
    let most = relationship["maxCount"].integer ?? 0
    find(
      .relationshipBounded, at: path,
      "\(path) allows \(relationship["minCount"].integer ?? 0) to"
        + " \(most > 0 ? String(most) : "any number of") objects now; a store outside these bounds"
        + " fails",
      suggestion: "bring the objects within the bounds in a custom stage before this version")
  }
}

extension ModelElement {
  /// Whether each object must have a value for the property. For a to-many relationship the minimum count decides:
  /// without one it may be empty even if it isn't optional.
  var demandsValue: Bool {
    guard !self["optional"].isTrue else { return false }
    return kind != .relationship || (self["maxCount"].integer ?? 0) == 1
      || (self["minCount"].integer ?? 0) > 0
  }
}

extension ModelElement {
  /// Whether objects without a value of a mandatory attribute get one in a migration: its default, or that of an
  /// element of a composite attribute.
  ///
  /// - Parameter old: the attribute that it continues; nil for a new one.
  func fillsItself(insteadOf old: ModelElement?) -> Bool {
    guard kind == .compositeAttribute else { return self["default"] != .none }
    return CompositeElements.fillThemselves(self["elements"], insteadOf: old?["elements"] ?? .none)
  }

  /// What ``fillsItself(insteadOf:)`` fills with, as words.
  var describedDefault: String {
    kind == .compositeAttribute ? "the defaults of its elements" : "its default \(self["default"])"
  }
}

extension ModelValue {
  /// The attribute type that a value represents.
  var attributeType: NSAttributeType? { try? NSAttributeType(modelValue: self) }
}

extension NSAttributeType {
  /// Whether inference converts values of the type to other numeric types.
  var isNumber: Bool { isNumeric || self == .booleanAttributeType }

  /// Whether another numeric type can represent every number of this type.
  func fits(_ other: NSAttributeType) -> Bool {
    guard let bits = wholeBits else {
      return self == .floatAttributeType && other == .doubleAttributeType
    }
    switch other {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return bits <= other.wholeBits ?? 0
    case .floatAttributeType: return bits <= 24
    // Decimal numbers are created from doubles.
    case .doubleAttributeType, .decimalAttributeType: return bits <= 53
    default: return false
    }
  }

  /// The number of bits of the type's integers; nil for other types.
  private var wholeBits: Int? {
    switch self {
    case .booleanAttributeType: 1
    case .integer16AttributeType: 16
    case .integer32AttributeType: 32
    case .integer64AttributeType: 64
    default: nil
    }
  }
}
