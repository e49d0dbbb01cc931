import DataModels
import Foundation

// The properties, indexes and constraints of a random model's entities.
extension ModelMaker {
  mutating func addAttributes(to entity: NSEntityDescription) {
    var made: [NSPropertyDescription] = []
    for _ in 0..<random.number(plan.attributeCount) {
      made.append(uses(.composites, 6) ? composite(depth: 2) : attribute())
    }
    entity.properties = made
  }

  private mutating func attribute(inComposite: Bool = false) -> NSAttributeDescription {
    let types: [NSAttributeDescription.AttributeType] = [
      .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .string, .boolean,
      .date, .binaryData, .uuid, .uri, .transformable,
    ]
    let attribute = NSAttributeDescription()
    attribute.name = name(capital: false)
    attribute.type = random.pick(types) ?? .string
    attribute.isOptional = random.chance(70)
    if random.chance(40) { attribute.defaultValue = defaultValue(for: attribute.type) }
    if !inComposite, random.chance(10) {
      attribute.isTransient = true
      if random.chance(30) { attribute.type = .undefined }
    }
    if attribute.type == .undefined { attribute.defaultValue = nil }
    decorate(attribute)
    if uses(.validation, 25) { addValidation(to: attribute) }
    if attribute.type == .binaryData {
      attribute.allowsExternalBinaryDataStorage = random.chance(50)
    }
    if attribute.type == .transformable {
      attribute.valueTransformerName = random.pick(["NSSecureUnarchiveFromData", "", nil]) ?? nil
      if random.chance(40) { attribute.attributeValueClassName = "NSSet<NSString *>" }
    }
    attribute.preservesValueInHistoryOnDeletion = uses(.rareFlags, 10)
    attribute.allowsCloudEncryption = uses(.rareFlags, 5)
    return attribute
  }

  private mutating func composite(depth: Int) -> NSCompositeAttributeDescription {
    let composite = NSCompositeAttributeDescription()
    composite.name = name(capital: false)
    composite.isOptional = random.chance(70)
    var elements: [NSAttributeDescription] = []
    for _ in 0..<random.number(1...3) {
      let isNested = depth > 1 && random.chance(20)
      elements.append(isNested ? self.composite(depth: depth - 1) : attribute(inComposite: true))
    }
    composite.elements = elements
    return composite
  }

  private mutating func defaultValue(for type: NSAttributeDescription.AttributeType) -> Any? {
    switch type {
    case .integer16: return random.number(Int(Int16.min)...Int(Int16.max))
    case .integer32: return random.number(-70000...70000)
    case .integer64: return random.chance(20) ? Int(Int64.min) : random.number(-5...5_000_000_000)
    case .decimal: return Decimal(string: random.pick(["0", "0.0", "12.50", "-3", "1e20"]) ?? "0")
    case .double: return random.pick([0.0, 0.5, -1.25, 1e300, 3.0])
    case .float: return random.pick([Float(0), 0.25, -7, 1.5])
    case .string: return random.chance(20) ? "" : text()
    case .boolean: return random.chance(50)
    case .date: return Date(timeIntervalSinceReferenceDate: Double(random.number(-9999...9999)))
    case .uuid where plan.features.contains(.rareDefaults):
      return UUID(uuidString: "6F2B8C1E-0000-4000-8000-0123456789AB")
    case .uri where plan.features.contains(.rareDefaults):
      return URL(string: "https://example.com/a?b=c")
    default: return nil
    }
  }

  private mutating func decorate(_ property: NSPropertyDescription) {
    if uses(.userInfo, 12) { property.userInfo = userInfo() }
    if uses(.versions, 8) { property.versionHashModifier = text() }
    if uses(.versions, 8) { property.renamingIdentifier = name(capital: false) }
    property.isIndexedBySpotlight = uses(.rareFlags, 5)
    property.isStoredInExternalRecord = uses(.rareFlags, 5)
  }

  // MARK: Relationships

  mutating func addRelationships() {
    var added: [[NSPropertyDescription]] = entities.map { _ in [] }
    for place in entities.indices {
      for _ in 0..<random.number(0...3) {
        let other = random.number(0...(entities.count - 1))
        let one = relationship(to: entities[other])
        added[place].append(one)
        if random.chance(8), other == place {
          one.inverseRelationship = one
        } else if random.chance(88) {
          let back = relationship(to: entities[place])
          back.isTransient = one.isTransient
          added[other].append(back)
          one.inverseRelationship = back
          back.inverseRelationship = one
        }
      }
    }
    for (entity, relationships) in zip(entities, added) { entity.properties += relationships }
  }

  private mutating func relationship(
    to destination: NSEntityDescription
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name(capital: false)
    relationship.destinationEntity = destination
    relationship.isOptional = random.chance(80)
    relationship.isTransient = random.chance(4)
    relationship.deleteRule = random.pick(NSDeleteRule.allCases) ?? .nullifyDeleteRule
    switch random.number(0...9) {
    case 0...4: relationship.maxCount = 1
    case 5...8:
      relationship.maxCount = 0
      relationship.isOrdered = random.chance(20)
    default:
      relationship.maxCount = random.number(2...9)
      relationship.minCount = random.number(0...2)
    }
    if relationship.maxCount == 1, !relationship.isOptional, random.chance(50) {
      relationship.minCount = 1
    }
    decorate(relationship)
    return relationship
  }

  // MARK: Indexes and constraints

  mutating func addIndexes(to entity: NSEntityDescription) {
    let stored = entity.ownProperties.filter { property in
      !property.isTransient && (property is NSRelationshipDescription || isPlain(property))
    }
    var indexes: [NSFetchIndexDescription] = []
    for _ in 0..<random.number(1...2) {
      let members = stored.shuffled(using: &random).prefix(random.number(1...3))
      guard !members.isEmpty else { return }
      let elements = members.map { property in
        let element = NSFetchIndexElementDescription(property: property, collationType: .binary)
        element.isAscending = random.chance(80)
        return element
      }
      let name = "by" + members.map(\.name).joined(separator: "And")
      guard !indexes.contains(where: { $0.name == name }) else { continue }
      if members.count > 1 {
        entity.compoundIndexes += [members.map(\.name)]
      } else {
        members.first?.isIndexed = true
      }
      indexes.append(NSFetchIndexDescription(name: name, elements: elements))
    }
    entity.indexes = indexes
  }

  mutating func addUniqueness(to entity: NSEntityDescription) {
    let candidates = entity.ownProperties.filter { !$0.isTransient && isPlain($0) }.map(\.name)
    var constraints: [[String]] = []
    for _ in 0..<random.number(1...2) {
      let members = Array(candidates.shuffled(using: &random).prefix(random.number(1...2)))
      if !members.isEmpty, !constraints.contains(members) { constraints.append(members) }
    }
    entity.uniquenessConstraints = constraints
  }

  /// Whether the property is an attribute whose value is a single comparable column.
  private func isPlain(_ property: NSPropertyDescription) -> Bool {
    guard let attribute = property as? NSAttributeDescription else { return false }
    return attribute.type != .transformable && attribute.type != .binaryData
      && attribute.type != .composite && !(attribute is NSDerivedAttributeDescription)
  }
}
