import DataModels
import Foundation
import TestSupport

import class PredicateFormat.NSExpression

/// Random edits with the patterns of real histories: properties move, relationships get other destinations, entities
/// get parents, things are renamed together with references to them, and both sides occasionally choose the same
/// name.
///
/// Edits that leave the model inconsistent are reverted, so that every side compiles.
struct ShapedEdits {
  private var random: SeededGenerator
  private let tag: String
  private var counter = 0

  init(seed: UInt64, tag: String) {
    random = SeededGenerator(seed: seed)
    self.tag = tag
  }

  /// Returns a changed copy of a model, keeping a few of the attempted edits.
  mutating func edited(_ base: NSManagedObjectModel, tries: Int) -> NSManagedObjectModel {
    var model = base
    for _ in 0..<tries {
      let next = model.copy() as? NSManagedObjectModel ?? model
      edit(next)
      if !next.findings().contains(where: { $0.severity == .error }) { model = next }
    }
    return model
  }

  /// Returns a copy of a model with a few attributes newly marked as indexed, or no longer marked.
  mutating func marked(_ base: NSManagedObjectModel) -> NSManagedObjectModel {
    let model = base.copy() as? NSManagedObjectModel ?? base
    for entity in model.entities {
      for attribute in entity.ownProperties.compactMap({ $0 as? NSAttributeDescription }) {
        let own = entity.indexes.filter { $0.elements.map(\.propertyName) == [attribute.name] }
        guard random.chance(30), own.allSatisfy(\.isSynthesized) else { continue }
        attribute.isIndexed.toggle()
        entity.indexes = entity.indexes.filter { !own.contains($0) }
      }
    }
    return model
  }

  /// Returns a name: one of a few that both sides use, or one of this side's own.
  private mutating func fresh(_ prefix: String) -> String {
    if random.chance(25) { return "\(prefix)\(random.number(1...4))" }
    counter += 1
    return "\(prefix)\(tag)\(counter)"
  }

  private mutating func entity(of model: NSManagedObjectModel) -> NSEntityDescription? {
    random.pick(model.entities)
  }

  private mutating func edit(_ model: NSManagedObjectModel) {
    guard let entity = entity(of: model) else { return }
    switch random.number(0...99) {
    case 0..<30: editAttribute(of: entity, in: model)
    case 30..<55: editRelationship(of: entity, in: model)
    case 55..<75: editHierarchy(of: entity, in: model)
    case 75..<85: editEntity(entity, in: model)
    default: editUse(of: entity, in: model)
    }
  }

  // MARK: Attributes

  private mutating func editAttribute(
    of entity: NSEntityDescription, in model: NSManagedObjectModel
  ) {
    let types: [NSAttributeDescription.AttributeType] = [
      .string, .integer32, .integer64, .double, .date, .boolean, .binaryData, .uuid,
    ]
    let type = random.pick(types) ?? .string
    let choice = random.number(0...9)
    let own = entity.ownProperties.compactMap { $0 as? NSAttributeDescription }
    guard choice > 1, let picked = random.pick(own) else {
      entity.properties.append(attribute(fresh("made"), type))
      return
    }
    switch choice {
    case 2: picked.isOptional.toggle()
    case 3: rename(picked, in: model)
    case 4: remove(picked, of: entity, in: model)
    case 5:
      picked.setValidation([], warnings: [])
      picked.defaultValue = nil
      picked.allowsExternalBinaryDataStorage = false
      picked.type = type
    case 6 where picked.attributeType == .stringAttributeType:
      picked.defaultValue = fresh("text")
    case 6 where [.integer32AttributeType, .integer64AttributeType].contains(picked.attributeType):
      picked.defaultValue = random.number(0...9)
    case 7 where picked.attributeType == .integer32AttributeType:
      let number = random.number(1...5)
      picked.setValidation([NSPredicate(format: "SELF >= %d", number)], warnings: [1620])
    case 8: picked.isTransient.toggle()
    default: picked.userInfo = [fresh("key"): fresh("note")]
    }
  }

  /// Renames a property, and updates everything that refers to it by name.
  private mutating func rename(_ property: NSPropertyDescription, in model: NSManagedObjectModel) {
    let old = property.name
    let identifier = property.renamingIdentifier
    property.name = fresh("renamed")
    property.renamingIdentifier = identifier
    let now = property.name
    guard let owner = property.owningEntity else { return }
    for entity in model.entities where entity.isKindOf(entity: owner) {
      entity.ownUniquenessConstraints = entity.ownUniquenessConstraints.map {
        $0.map { $0 == old ? now : $0 }
      }
      // Indexes that the compiler created for a mark are created anew.
      entity.indexes = entity.indexes.filter { !($0.isSynthesized && $0.name == old) }.map {
        index in
        let names = index.elements.compactMap(\.propertyName).map { $0 == old ? now : $0 }
        return ModelEvolutionTests.index(index.name, names, in: entity)
      }
      for derived in entity.ownProperties.compactMap({ $0 as? NSDerivedAttributeDescription }) {
        if derived.derivationExpression?.description.hasPrefix(old + ".") == true {
          derived.derivationExpression = NSExpression(format: "\(now).@count")
        } else if derived.derivationExpression?.description == old {
          derived.derivationExpression = NSExpression(forKeyPath: now)
        }
      }
    }
  }

  private func remove(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    in model: NSManagedObjectModel
  ) {
    for holder in model.entities where holder.isKindOf(entity: entity) {
      holder.ownUniquenessConstraints = holder.ownUniquenessConstraints
        .filter { !$0.contains(property.name) }
      holder.indexes = holder.indexes.filter {
        !$0.elements.contains { $0.propertyName == property.name }
      }
    }
    entity.remove(property.name)
  }

  // MARK: Relationships

  private mutating func editRelationship(
    of entity: NSEntityDescription, in model: NSManagedObjectModel
  ) {
    let choice = random.number(0...9)
    let own = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
    guard let other = self.entity(of: model) else { return }
    guard choice > 1, let relationship = random.pick(own) else {
      relate(
        entity, fresh("to"), toMany: random.chance(60), other, fresh("from"),
        toMany: random.chance(40))
      return
    }
    switch choice {
    case 2, 3, 4:
      // Another destination; the inverse moves there too, under its own or another name.
      guard let back = relationship.inverseRelationship, back !== relationship else {
        relationship.destinationEntity = other
        return
      }
      back.entity.remove(back.name)
      let moved = NSRelationshipDescription()
      moved.name = random.chance(70) ? back.name : fresh("from")
      moved.maxCount = back.maxCount
      moved.isOptional = back.isOptional
      moved.destinationEntity = entity
      other.properties.append(moved)
      relationship.destinationEntity = other
      link(relationship, moved)
    case 5: rename(relationship, in: model)
    case 6:
      let back = relationship.inverseRelationship
      relationship.inverseRelationship = nil
      if let back, let home = back.owningEntity { remove(back, of: home, in: model) }
      remove(relationship, of: entity, in: model)
    case 7: relationship.deleteRule = random.pick(NSDeleteRule.allCases) ?? .nullifyDeleteRule
    case 8: relationship.maxCount = relationship.maxCount == 1 ? 0 : 1
    default: relationship.isOrdered.toggle()
    }
  }

  // MARK: Hierarchy

  private mutating func editHierarchy(
    of entity: NSEntityDescription, in model: NSManagedObjectModel
  ) {
    switch random.number(0...5) {
    case 0:
      guard entity.superentity == nil else { return }
      let above = TestSupport.entity(fresh("Above"))
      above.isAbstract = random.chance(50)
      model.entities.append(above)
      above.subentities = [entity]
    case 1:
      // Under another root.
      guard entity.superentity == nil, let other = self.entity(of: model), other !== entity,
        !other.isKindOf(entity: entity)
      else { return }
      other.subentities.append(entity)
    case 2:
      guard let parent = entity.superentity else { return }
      parent.subentities = parent.subentities.filter { $0 !== entity }
    case 3, 4:
      // Moves a property up, from all siblings that have it.
      guard let parent = entity.superentity, let property = random.pick(entity.ownProperties),
        let moved = property.copy() as? NSPropertyDescription, property is NSAttributeDescription
      else { return }
      for sibling in parent.subentities { sibling.remove(property.name) }
      parent.properties.append(moved)
    default:
      // Moves a property down, into all subentities.
      let attributes = entity.ownProperties.compactMap { $0 as? NSAttributeDescription }
      guard !entity.subentities.isEmpty, let property = random.pick(attributes) else { return }
      entity.remove(property.name)
      for child in entity.subentities {
        guard let moved = property.copy() as? NSPropertyDescription else { return }
        child.properties.append(moved)
      }
    }
  }

  // MARK: Entities

  private mutating func editEntity(
    _ entity: NSEntityDescription, in model: NSManagedObjectModel
  ) {
    switch random.number(0...6) {
    case 0:
      let made = TestSupport.entity(fresh("Made"), [attribute(fresh("made"), .string)])
      model.entities.append(made)
    case 1:
      let identifier = entity.renamingIdentifier
      entity.name = fresh("Renamed")
      entity.renamingIdentifier = identifier
    case 2 where entity.subentities.isEmpty: model.remove(entity.name ?? "")
    case 3: entity.isAbstract.toggle()
    case 4: entity.managedObjectClassName = fresh("Class")
    case 5: entity.userInfo = [fresh("key"): fresh("note")]
    default:
      model.versionIdentifiers = ["1.\(random.number(1...12))"]
      model.setEntities(
        model.entities.filter { _ in random.chance(50) }, forConfigurationName: fresh("Cloud"))
    }
  }

  // MARK: What asks for properties by name

  private mutating func editUse(
    of entity: NSEntityDescription, in model: NSManagedObjectModel
  ) {
    let plain = entity.ownProperties.filter {
      guard let attribute = $0 as? NSAttributeDescription else { return false }
      return ![.binaryDataAttributeType, .compositeAttributeType, .transformableAttributeType]
        .contains(attribute.attributeType) && !(attribute is NSDerivedAttributeDescription)
        && !attribute.isTransient
    }
    let toMany = entity.relationshipsByName.values.filter(\.isToMany).sorted { $0.name < $1.name }
    switch random.number(0...4) {
    case 0:
      guard let property = random.pick(plain),
        !entity.ownUniquenessConstraints.contains([property.name])
      else { return }
      entity.ownUniquenessConstraints.append([property.name])
    case 1:
      guard let property = random.pick(plain) else { return }
      entity.indexes.append(index(fresh("by"), [property.name], in: entity))
    case 2:
      guard let relationship = random.pick(toMany) else { return }
      let derived = NSDerivedAttributeDescription()
      derived.name = fresh("count")
      derived.attributeType = .integer64AttributeType
      derived.derivationExpression = NSExpression(format: "\(relationship.name).@count")
      entity.properties.append(derived)
    case 3:
      guard let property = random.pick(plain) else { return }
      let request = NSFetchRequest<NSFetchRequestResult>()
      request.entity = entity
      request.predicate = NSPredicate(format: "%K != nil", property.name)
      model.setFetchRequestTemplate(request, forName: fresh("All"))
    default:
      guard let property = random.pick(plain) else { return }
      let fetched = NSFetchedPropertyDescription()
      fetched.name = fresh("found")
      let request = NSFetchRequest<NSFetchRequestResult>()
      request.entity = entity
      request.predicate = NSPredicate(
        format: "%K == %K", property.name, "$FETCH_SOURCE.\(property.name)")
      fetched.fetchRequest = request
      entity.properties.append(fetched)
    }
  }
}
