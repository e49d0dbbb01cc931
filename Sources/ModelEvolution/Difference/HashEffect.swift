/// The effect on version hashes of adding, removing, renaming or moving an element.
struct HashEffect {
  let changesHash: Bool
  let reason: String

  init(of kind: ModelChange.Kind, on element: ModelElement) {
    switch element.kind {
    case .entity:
      changesHash = true
      reason =
        kind == .renamed
        ? "an entity's hash begins with its name" : "the set of entities differs"
    case .attribute, .derivedAttribute, .compositeAttribute, .relationship:
      changesHash = element.entersEntityHash
      reason =
        changesHash
        ? "an entity's hash covers its persistent properties by name"
        : "transient properties are not hashed"
    case .fetchedProperty, .expressionProperty:
      changesHash = false
      reason = "\(element.kind.rawValue) properties are not hashed"
    case .model, .index, .fetchRequest, .configuration:
      changesHash = false
      reason = "the version hash covers entities and their properties only"
    }
  }
}

extension ModelElement {
  /// Whether the element is part of the hash of its entity.
  var entersEntityHash: Bool {
    switch kind {
    case .entity, .derivedAttribute, .compositeAttribute: true
    case .attribute, .relationship: !self["transient"].isTrue
    case .model, .fetchedProperty, .expressionProperty, .index, .fetchRequest, .configuration:
      false
    }
  }
}
