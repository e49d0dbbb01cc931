/// Whether attributes and relationships without any of the rarer settings say the same, to the byte: what many of two
/// versions do, and costs little to find out.
///
/// ``PropertyComparison`` asks what a difference is; this asks whether everything that was learned of one property
/// (facts, hashes, texts) holds for another. No for all that isn't plain means only that it has to be looked at.
package enum PlainEquality {
  /// Whether two properties are plain, and the same.
  package static func areSame(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> Bool {
    guard left.extras == nil, right.extras == nil, left.flags == right.flags,
      areSame(left.storedName, right.storedName)
    else { return false }
    switch (left, right) {
    case (let left as NSRelationshipDescription, let right as NSRelationshipDescription):
      return type(of: left) == type(of: right) && left.storedMaxCount == right.storedMaxCount
        && left.storedMinCount == right.storedMinCount
        && left.storedDeleteRule == right.storedDeleteRule
        && areSame(left.destinationEntityName, right.destinationEntityName)
        && areSame(left.inverseRelationshipName, right.inverseRelationshipName)
    case (let left as NSAttributeDescription, let right as NSAttributeDescription):
      // Derived and composite ones have more to say.
      return type(of: left) == NSAttributeDescription.self
        && type(of: right) == NSAttributeDescription.self && left.storedType == right.storedType
        && areSame(left.storedDefault, right.storedDefault)
    default: return false
    }
  }

  /// Whether two entities say the same besides their properties, and plainly: neither indexes nor notes, constraints,
  /// modifiers or identifiers.
  package static func areSame(
    _ left: NSEntityDescription, _ right: NSEntityDescription
  ) -> Bool {
    left.extras == nil && right.extras == nil && left.storedIsAbstract == right.storedIsAbstract
      && areSame(left.name, right.name)
      && areSame(left.managedObjectClassName, right.managedObjectClassName)
      && areSame(left.superentity?.name, right.superentity?.name)
  }

  // Texts that look alike in another form are equal to Swift, and hash otherwise.
  private static func areSame(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left == right && left.utf8.elementsEqual(right.utf8)
  }

  private static func areSame(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.none, .none): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): areSame(left, right)
    default: false
    }
  }
}
