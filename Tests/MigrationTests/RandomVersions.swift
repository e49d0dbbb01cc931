import DataModels
import Foundation
import TestSupport

/// A random model and its later versions, with every feature whose rows migrations must carry over, and every kind of
/// edit, each of which leaves the model valid.
struct RandomVersions {
  private(set) var random: SeededGenerator
  /// The name counter; names are unique.
  private var counter = 0
  /// The current version.
  private(set) var model: NSManagedObjectModel
  /// Whether edits also move entities in the hierarchy, and let relationships refer to others.
  private let isRestructured: Bool
  /// The most recent edits, for reports.
  private(set) var edits: [String] = []

  /// Creates the first version. Every root entity has an attribute `uid` that no edit touches.
  init(seed: UInt64, isRestructured: Bool = false) {
    self.isRestructured = isRestructured
    random = SeededGenerator(seed: seed)
    model = RandomModel(
      seed: seed, entities: 2...5, attributes: 1...4, features: [.inheritance, .composites]
    ).model()
    for entity in model.entities {
      if entity.superentity == nil {
        entity.properties.append(attribute("uid", .stringAttributeType))
      }
      // Transient values aren't migrated: a manager's objects would lack them.
      for property in entity.ownProperties where property.isTransient { property.isOptional = true }
      for _ in 0..<random.number(1...3) { entity.properties.append(randomAttribute()) }
    }
  }

  /// Creates the next version by some edits of the current one, which isn't modified.
  mutating func advance(by count: Int) {
    guard let next = model.copy() as? NSManagedObjectModel else { return }
    model = next
    edits = []
    for _ in 0..<count { edit() }
  }

  // MARK: Creation

  private mutating func fresh(_ prefix: String) -> String {
    counter += 1
    return "\(prefix)\(counter)"
  }

  private mutating func randomAttribute() -> NSAttributeDescription {
    let name = fresh("made")
    switch random.number(0...6) {
    case 0, 1:
      let made = attribute(name, .transformableAttributeType)
      made.valueTransformerName = random.pick([nil, "NSSecureUnarchiveFromData"]) ?? nil
      return made
    case 2:
      let made = attribute(name, .binaryDataAttributeType)
      made.allowsExternalBinaryDataStorage = random.chance(60)
      return made
    case 3:
      let made = NSCompositeAttributeDescription()
      made.name = name
      made.elements = (0..<random.number(1...3)).map { _ in number() }
      return made
    case 4:
      return attribute(name, .stringAttributeType, optional: false, default: "given")
    default: return number()
    }
  }

  private mutating func number() -> NSAttributeDescription {
    let made = attribute(
      fresh("number"), random.pick(Self.numbers) ?? .doubleAttributeType)
    if random.chance(30) { made.defaultValue = Self.standard(made.attributeType) }
    made.isOptional = made.defaultValue == nil || random.chance(50)
    return made
  }

  private static func standard(_ type: NSAttributeType) -> Any {
    type == .booleanAttributeType ? true : 3
  }

  private static let numbers: [NSAttributeType] = [
    .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    .booleanAttributeType, .doubleAttributeType, .floatAttributeType, .decimalAttributeType,
  ]

  // MARK: Edits

  private mutating func edit() {
    guard let entity = random.pick(model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") })
    else { return }
    let kind = random.number(0...99)
    let done: String? =
      switch kind {
      case 0..<40: edit(attributesOf: entity)
      case 40..<70: edit(relationshipsOf: entity)
      default: edit(entity)
      }
    if let done { edits.append("\(entity.name ?? ""): \(done)") }
  }

  private mutating func edit(attributesOf entity: NSEntityDescription) -> String? {
    let choice = random.number(0...11)
    if choice < 3 {
      let made = randomAttribute()
      if random.chance(5) { made.isOptional = false }
      entity.properties.append(made)
      return "added \(made.name)"
    }
    let own = entity.ownProperties.compactMap { $0 as? NSAttributeDescription }
      .filter { $0.name != "uid" }.sorted { $0.name < $1.name }
    guard let attribute = random.pick(own) else { return nil }
    let name = attribute.name
    switch choice {
    case 3: entity.properties.removeAll { $0 === attribute }
    case 4, 5: rename(attribute)
    case 6:
      attribute.isOptional.toggle()
      if !attribute.isOptional, Self.numbers.contains(attribute.attributeType), random.chance(80) {
        attribute.defaultValue = Self.standard(attribute.attributeType)
      }
      if attribute.isTransient, attribute.defaultValue == nil { attribute.isOptional = true }
    case 7:
      guard Self.numbers.contains(attribute.attributeType) else { return nil }
      let hasDefault = attribute.defaultValue != nil
      attribute.defaultValue = nil
      attribute.attributeType = random.pick(Self.numbers) ?? .doubleAttributeType
      if hasDefault { attribute.defaultValue = Self.standard(attribute.attributeType) }
    case 8:
      switch attribute.attributeType {
      case .transformableAttributeType where random.chance(40):
        attribute.defaultValue = nil
        attribute.attributeType = .binaryDataAttributeType
        attribute.userInfo = ["NSMigrationAllowTypeTransformation": "1"]
      case .transformableAttributeType:
        attribute.valueTransformerName = "NSKeyedUnarchiveFromData"
        attribute.versionHashModifier = fresh("v")
      case .binaryDataAttributeType: attribute.allowsExternalBinaryDataStorage = true
      case .stringAttributeType where random.chance(10):
        attribute.defaultValue = nil
        attribute.attributeType = .dateAttributeType
      default: attribute.versionHashModifier = fresh("v")
      }
    case 9:
      guard let composite = attribute as? NSCompositeAttributeDescription else { return nil }
      if random.chance(50), let element = composite.elements.first, !element.isTransient {
        rename(element)
      } else {
        composite.elements.append(number())
      }
    case 10:
      // Moved to the parent, or to a new one.
      guard let parent = entity.superentity else { return nil }
      entity.properties.removeAll { $0 === attribute }
      guard let moved = attribute.copy() as? NSAttributeDescription else { return nil }
      if !moved.isOptional, moved.defaultValue == nil { moved.isOptional = true }
      parent.properties.append(moved)
    default:
      // What has no type can't be stored.
      guard attribute.attributeType != .undefinedAttributeType else { return nil }
      attribute.isTransient.toggle()
      if attribute.isTransient { attribute.isOptional = true }
    }
    return "\(choice) \(name)"
  }

  private mutating func rename(_ property: NSPropertyDescription) {
    let identifier = property.renamingIdentifier
    property.name = fresh("renamed")
    property.renamingIdentifier = identifier
  }

  private mutating func edit(relationshipsOf entity: NSEntityDescription) -> String? {
    let choice = random.number(0...9)
    if choice < 2 {
      guard let other = random.pick(model.entities) else { return nil }
      let (one, back) = (NSRelationshipDescription(), NSRelationshipDescription())
      (one.name, back.name) = (fresh("to"), fresh("from"))
      (one.destinationEntity, back.destinationEntity) = (other, entity)
      (one.maxCount, back.maxCount) = (random.pick([0, 1]) ?? 0, random.pick([0, 1]) ?? 0)
      one.isOptional = random.chance(90) || one.maxCount == 0
      entity.properties.append(one)
      guard random.chance(75) else { return "added \(one.name) without inverse" }
      other.properties.append(back)
      link(one, back)
      return "added \(one.name)"
    }
    let own = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
      .sorted { $0.name < $1.name }
    guard let relationship = random.pick(own) else { return nil }
    let name = relationship.name
    if isRestructured, random.chance(25) { return redirect(relationship) }
    switch choice {
    case 2: remove(relationship)
    case 3, 4: rename(relationship)
    case 5: relationship.maxCount = relationship.maxCount == 1 ? 0 : relationship.maxCount
    case 6:
      guard relationship.maxCount != 1 else { return nil }
      relationship.isOrdered.toggle()
    case 7:
      guard random.chance(30) else { return nil }
      let back = relationship.inverseRelationship
      relationship.inverseRelationship = nil
      back?.inverseRelationship = nil
    case 8:
      // Transient relationships aren't migrated: a manager's objects would lack them.
      guard !relationship.isTransient else { return nil }
      relationship.isOptional.toggle()
      if random.chance(30), relationship.maxCount != 1 { relationship.minCount = 1 }
    default:
      guard random.chance(20) else { return nil }
      relationship.maxCount = 1
      relationship.isOrdered = false
      relationship.minCount = 0
    }
    return "\(choice) \(name)"
  }

  /// Lets a relationship refer to another entity, to which its inverse moves.
  private mutating func redirect(_ relationship: NSRelationshipDescription) -> String? {
    guard let other = random.pick(model.entities), other !== relationship.destinationEntity else {
      return nil
    }
    if let back = relationship.inverseRelationship, back !== relationship,
      let moved = back.copy() as? NSRelationshipDescription
    {
      relationship.inverseRelationship = nil
      back.inverseRelationship = nil
      back.entity.properties = back.entity.ownProperties.filter { $0 !== back }
      other.properties.append(moved)
      relationship.destinationEntity = other
      link(relationship, moved)
    } else {
      relationship.destinationEntity = other
      if relationship.inverseRelationship === relationship {
        relationship.inverseRelationship = nil
      }
    }
    return "redirected \(relationship.name) to \(other.name ?? "")"
  }

  /// Gives an entity another parent, or none.
  private mutating func move(_ entity: NSEntityDescription) -> String? {
    let parents = model.entities.filter { !$0.isKindOf(entity: entity) }
      .sorted { ($0.name ?? "") < ($1.name ?? "") }
    let parent = random.chance(50) ? nil : random.pick(parents)
    guard parent !== entity.superentity else { return nil }
    if let before = entity.superentity {
      before.subentities.removeAll { $0 === entity }
    } else {
      entity.properties.removeAll { $0.name == "uid" }
    }
    if let parent {
      parent.subentities.append(entity)
    } else {
      entity.properties.append(attribute("uid", .stringAttributeType))
    }
    return "moved to \(parent?.name ?? "the top")"
  }

  private func remove(_ relationship: NSRelationshipDescription) {
    let back = relationship.inverseRelationship
    relationship.inverseRelationship = nil
    back?.inverseRelationship = nil
    relationship.entity.properties = relationship.entity.ownProperties
      .filter { $0 !== relationship }
    // A relationship may be its own inverse, and has left its entity then.
    if let back, back !== relationship {
      back.entity.properties = back.entity.ownProperties.filter { $0 !== back }
    }
  }

  private mutating func edit(_ entity: NSEntityDescription) -> String? {
    if isRestructured, random.chance(50) { return move(entity) }
    let choice = random.number(0...5)
    switch choice {
    case 0:
      let identifier = entity.renamingIdentifier
      entity.name = fresh("Renamed")
      entity.renamingIdentifier = identifier
    case 1:
      let made = NSEntityDescription()
      made.name = fresh("Made")
      made.properties = [number()]
      model.entities.append(made)
      // A subentity of another one, or a root.
      if random.chance(50) {
        entity.subentities.append(made)
      } else {
        made.properties.append(attribute("uid", .stringAttributeType))
      }
    case 2:
      guard entity.subentities.isEmpty, model.entities.count > 2, random.chance(40) else {
        return nil
      }
      for other in model.entities {
        for relationship in other.ownProperties.compactMap({ $0 as? NSRelationshipDescription })
        where relationship.destinationEntity === entity
          // Unless it went as another one's inverse.
          && other.ownProperties.contains(where: { $0 === relationship })
        {
          remove(relationship)
        }
      }
      entity.superentity?.subentities.removeAll { $0 === entity }
      model.entities.removeAll { $0 === entity }
    case 3:
      // A new parent entity.
      guard entity.superentity == nil else { return nil }
      let made = NSEntityDescription()
      made.name = fresh("Above")
      made.isAbstract = true
      made.properties = [attribute("uid", .stringAttributeType)]
      entity.properties.removeAll { $0.name == "uid" }
      model.entities.append(made)
      made.subentities = [entity]
    case 4:
      guard random.chance(25) else { return nil }
      entity.isAbstract.toggle()
    default: entity.versionHashModifier = fresh("v")
    }
    return "entity \(choice)"
  }
}
