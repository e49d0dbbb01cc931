/// A fast check whether attributes and relationships that use none of the rarer settings are identical, byte for
/// byte. Most of two versions of a model are.
///
/// ``PropertyComparison`` finds differences; this determines whether everything known about one property (facts,
/// hashes, text) also holds for another. False may just mean that a full comparison is needed.
package enum PlainEquality {
  /// Returns whether two properties use no rarer settings and are identical.
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
      // Derived and composite attributes have further settings.
      return type(of: left) == NSAttributeDescription.self
        && type(of: right) == NSAttributeDescription.self && left.storedType == right.storedType
        && areSame(left.storedDefault, right.storedDefault)
    default: return false
    }
  }

  /// Returns whether two entities are identical apart from their properties, and have no indexes, user info,
  /// constraints, version hash modifiers or renaming identifiers.
  package static func areSame(
    _ left: NSEntityDescription, _ right: NSEntityDescription
  ) -> Bool {
    left.extras == nil && right.extras == nil && left.storedIsAbstract == right.storedIsAbstract
      && areSame(left.name, right.name)
      && areSame(left.managedObjectClassName, right.managedObjectClassName)
      && areSame(left.superentity?.name, right.superentity?.name)
  }

  // Strings in different Unicode normalization forms are equal in Swift but have different hashes.
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
