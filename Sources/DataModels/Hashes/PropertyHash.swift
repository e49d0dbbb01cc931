import Foundation
import PredicateFormat

/// The version hash of a property, which covers the settings that change the layout of a store.
///
/// Default values, validation, user info, indexes, renaming identifiers, delete rules, transformers and value classes
/// are not included.
enum PropertyHash {
  /// Returns the hash of a property.
  ///
  /// - Parameters:
  ///   - property: Any property.
  ///   - topmost: The property with the same name in the topmost ancestor that has one. It matters for a relationship
  ///     that is its own inverse.
  static func digest(
    of property: NSPropertyDescription, topmost: NSPropertyDescription? = nil
  ) -> SHA256.Digest {
    switch property {
    case let derived as NSDerivedAttributeDescription: return digest(of: derived)
    case let composite as NSCompositeAttributeDescription: return digest(of: composite)
    case let attribute as NSAttributeDescription: return digest(of: attribute)
    case let relationship as NSRelationshipDescription:
      return digest(of: relationship, topmost: topmost as? NSRelationshipDescription)
    default: return base(of: property)
    }
  }

  /// Whether an entity's hash includes the property: attributes and relationships that are stored.
  static func isHashed(_ property: NSPropertyDescription) -> Bool {
    switch property {
    // These two are never transient, regardless of their flags.
    case is NSDerivedAttributeDescription, is NSCompositeAttributeDescription: true
    case is NSAttributeDescription, is NSRelationshipDescription:
      !property.flags.contains(.transient)
    default: false
    }
  }

  private static func base(of property: NSPropertyDescription) -> SHA256.Digest {
    var input = HashInput()
    input.append(property.storedName)
    var flags: UInt16 = 0
    if property.isOptional { flags |= 1 }
    if property.isTransient { flags |= 2 }
    if property.isReadOnly { flags |= 4 }
    input.append(littleEndian: flags)
    if let modifier = property.versionHashModifier { input.append(modifier) }
    return input.sha256
  }

  private static func digest(of attribute: NSAttributeDescription) -> SHA256.Digest {
    var input = HashInput()
    input.append(base(of: attribute))
    input.append(littleEndian: UInt32(attribute.storedType.rawValue))
    if attribute.allowsExternalBinaryDataStorage { input.append(byte: 1) }
    if attribute.preservesValueInHistoryOnDeletion { input.append(byte: 1) }
    return input.sha256
  }

  private static func digest(of derived: NSDerivedAttributeDescription) -> SHA256.Digest {
    var input = HashInput()
    if let expression = derived.storedExpression { input.append(expression.tree.canonicalFormat) }
    if let filter = derived.storedFilter { input.append(filter.canonicalFormat) }
    return input.sha256
  }

  /// Nested composites are replaced by their elements, without recursion, each composite once.
  private static func digest(of composite: NSCompositeAttributeDescription) -> SHA256.Digest {
    var leaves: [NSAttributeDescription] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(composite)]
    var pending = composite.storedElements
    while let element = pending.popLast() {
      if let inner = element as? NSCompositeAttributeDescription {
        if seen.insert(ObjectIdentifier(inner)).inserted { pending += inner.storedElements }
      } else if isHashed(element) {
        leaves.append(element)
      }
    }
    leaves.sort { NameOrder.precedes($0.storedName, $1.storedName) }
    var input = HashInput()
    for leaf in leaves { input.append(digest(of: leaf as NSPropertyDescription)) }
    return input.sha256
  }

  private static func digest(
    of relationship: NSRelationshipDescription, topmost: NSRelationshipDescription?
  ) -> SHA256.Digest {
    var input = HashInput()
    input.append(base(of: relationship))
    if let destination = relationship.destinationEntityName { input.append(destination) }
    if let inverse = relationship.inverseRelationshipName, !isOwnInverse(relationship),
      topmost.map(isOwnInverse) != true
    {
      input.append(inverse)
    }
    input.append(littleEndian: Int32(truncatingIfNeeded: relationship.storedMaxCount))
    input.append(littleEndian: Int32(truncatingIfNeeded: relationship.storedMinCount))
    if relationship.isOrdered { input.append(littleEndian: UInt16(1)) }
    return input.sha256
  }

  private static func isOwnInverse(_ relationship: NSRelationshipDescription) -> Bool {
    if let inverse = relationship.storedInverse { return inverse === relationship }
    // The inverse is known by name only: the destination must have or inherit this very relationship. Looking it up
    // would create a table of each destination's properties, which could exhaust memory in a malicious hierarchy.
    // Instead, search for the owner among the destination's ancestors, up to a limited height.
    guard relationship.inverseRelationshipName == relationship.storedName,
      let owner = relationship.owner
    else { return false }
    var next = relationship.destinationEntity
    for _ in 0..<64 {
      guard let entity = next else { return false }
      if entity === owner { return true }
      next = entity.storedSuperentity
    }
    return false
  }
}
