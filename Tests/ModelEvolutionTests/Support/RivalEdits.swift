import DataModels
import Foundation
import TestSupport

import class PredicateFormat.NSComparisonPredicate
import class PredicateFormat.NSExpression

/// Edits that compete with another side's: of existing constraints, of types, and of conditions and expressions that
/// require a type.
///
/// They have their own random numbers, so that the results of ``ShapedEdits`` for a seed don't change.
struct RivalEdits {
  private var random: SeededGenerator
  private let tag: String
  private var counter = 0

  init(seed: UInt64, tag: String) {
    random = SeededGenerator(seed: seed ^ 0x5EED_0F_21A1)
    self.tag = tag
  }

  /// Returns a changed copy of a model, keeping those of the attempted edits that leave it valid.
  mutating func edited(_ base: NSManagedObjectModel, tries: Int) -> NSManagedObjectModel {
    var model = base
    for _ in 0..<tries {
      let next = model.copy() as? NSManagedObjectModel ?? model
      guard let entity = random.pick(next.entities) else { return model }
      edit(entity, in: next)
      if !next.findings().contains(where: { $0.severity == .error }) { model = next }
    }
    return model
  }

  private mutating func fresh(_ prefix: String) -> String {
    counter += 1
    return "\(prefix)\(tag)\(counter)"
  }

  private mutating func edit(_ entity: NSEntityDescription, in model: NSManagedObjectModel) {
    let plain = entity.ownProperties.compactMap { $0 as? NSAttributeDescription }
      .filter { $0.isPlain }
    switch random.number(0...9) {
    case 0...2: editConstraint(of: entity, plain)
    case 3, 4:
      let types: [NSAttributeDescription.AttributeType] = [.string, .integer32, .double, .date]
      guard let attribute = random.pick(plain) else { return }
      attribute.setValidation([], warnings: [])
      attribute.defaultValue = nil
      attribute.type = random.pick(types) ?? .string
    case 5:
      let relationship = random.pick(
        entity.ownProperties.compactMap { $0 as? NSRelationshipDescription })
      relationship?.maxCount = relationship?.maxCount == 1 ? 0 : 1
    case 6: random.pick(plain)?.isTransient.toggle()
    default: addUse(of: plain, in: entity, model)
    }
  }

  private mutating func editConstraint(
    of entity: NSEntityDescription, _ plain: [NSAttributeDescription]
  ) {
    var constraints = entity.ownUniquenessConstraints
    guard let place = random.pick(constraints.indices), let other = random.pick(plain) else {
      if let attribute = random.pick(plain) { entity.ownUniquenessConstraints = [[attribute.name]] }
      return
    }
    switch random.number(0...2) {
    case 0 where !constraints[place].contains(other.name): constraints[place].append(other.name)
    case 1: constraints.remove(at: place)
    default: constraints[place] = [other.name]
    }
    entity.ownUniquenessConstraints = Set(constraints).sorted { $0.joined() < $1.joined() }
  }

  private mutating func addUse(
    of plain: [NSAttributeDescription], in entity: NSEntityDescription,
    _ model: NSManagedObjectModel
  ) {
    guard let attribute = random.pick(plain.filter { !$0.isTransient }) else { return }
    let condition = NSPredicate(
      format: attribute.isNumber ? "%K > 5" : "%K != nil", attribute.name)
    switch random.number(0...2) {
    case 0:
      let derived = NSDerivedAttributeDescription()
      derived.name = fresh("same")
      derived.attributeType = attribute.attributeType
      derived.derivationExpression = NSExpression(forKeyPath: attribute.name)
      entity.properties.append(derived)
    case 1:
      let request = NSFetchRequest<NSFetchRequestResult>()
      request.entity = entity
      request.predicate = condition
      model.setFetchRequestTemplate(request, forName: fresh("Large"))
    default:
      let made = index(fresh("large"), [attribute.name], in: entity)
      made.partialIndexPredicate = condition
      entity.indexes.append(made)
    }
  }
}

extension NSAttributeDescription {
  fileprivate var isPlain: Bool {
    !(self is NSDerivedAttributeDescription) && !(self is NSCompositeAttributeDescription)
      && ![.transformableAttributeType, .binaryDataAttributeType].contains(attributeType)
  }

  fileprivate var isNumber: Bool {
    [
      .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .decimalAttributeType,
    ].contains(attributeType)
  }
}

extension NSManagedObjectModel {
  /// The number of derived attributes whose type differs from that of the attribute they copy, plus the number of
  /// conditions that compare a non-number with a number.
  var mistypedUses: Int {
    func isOfText(_ predicate: NSPredicate?, _ entity: NSEntityDescription?) -> Bool {
      guard let comparison = predicate as? NSComparisonPredicate,
        comparison.predicateOperatorType == .greaterThan,
        comparison.leftExpression.expressionType == .keyPath
      else { return false }
      let property = entity?.propertiesByName[comparison.leftExpression.keyPath]
      return (property as? NSAttributeDescription).map { !$0.isNumber } ?? true
    }
    var count = fetchRequestTemplatesByName.values.count { isOfText($0.predicate, $0.entity) }
    for entity in entities {
      count += entity.indexes.count { isOfText($0.partialIndexPredicate, entity) }
      for case let derived as NSDerivedAttributeDescription in entity.ownProperties
      where derived.name.hasPrefix("same") {
        guard let path = derived.derivationExpression?.keyPath,
          let same = entity.propertiesByName[path] as? NSAttributeDescription
        else { continue }
        if same.attributeType != derived.attributeType || same.isTransient { count += 1 }
      }
    }
    return count
  }
}
