import DataModels
import Foundation

@_spi(Engines) @testable import ManagedObjects

/// Fills stores with deterministic objects of every kind that migrations encounter: repeated values, missing values,
/// and objects with many, one and no related objects.
public struct StoreFiller {
  /// The number of objects per entity.
  public static let count = 8

  /// Fills the store of a context, and saves.
  ///
  /// - Parameter name: The only entity to make objects of; nil for all.
  public static func fill(
    _ context: NSManagedObjectContext, _ model: NSManagedObjectModel, count: Int = count,
    only name: String? = nil
  ) throws {
    var objects: [String: [NSManagedObject]] = [:]
    let entities = model.entities.filter { !$0.isAbstract && (name == nil || $0.name == name) }
      .sorted { ($0.name ?? "") < ($1.name ?? "") }
    for entity in entities {
      let name = entity.name ?? ""
      objects[name] = (0..<count).map { index in
        let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        setAttributes(of: object, index, count)
        return object
      }
    }
    for entity in entities {
      for (index, object) in (objects[entity.name ?? ""] ?? []).enumerated() {
        relate(object, index, objects, count)
      }
    }
    try context.save()
  }

  // MARK: Attributes

  private static func setAttributes(of object: NSManagedObject, _ index: Int, _ count: Int) {
    let unique = Set(
      sequence(first: object.entity, next: \.superentity).flatMap(\.uniquenessConstraints)
        .flatMap { $0.compactMap { $0 as? String } })
    for attribute in object.entity.attributesByName.values.sorted(by: { $0.name < $1.name }) {
      if attribute is NSDerivedAttributeDescription { continue }
      if index == count - 1, attribute.isOptional {
        object.setValue(nil, forKey: attribute.name)
        continue
      }
      // Two objects share each value, unless it must be unique, also among sibling entities.
      let number =
        unique.contains(attribute.name)
        ? index + 100 * (object.entity.name ?? "").unicodeScalars.reduce(0) { $0 + Int($1.value) }
        : index / 2
      object.setValue(value(attribute, number), forKey: attribute.name)
    }
  }

  private static func value(_ attribute: NSAttributeDescription, _ number: Int) -> Any? {
    switch attribute.attributeType {
    case .integer16AttributeType: return NSNumber(value: number % 32_000)
    case .integer32AttributeType: return NSNumber(value: number + 70_000)
    case .integer64AttributeType: return NSNumber(value: number + 5_000_000_000)
    case .booleanAttributeType: return NSNumber(value: number % 2 == 0)
    case .doubleAttributeType, .floatAttributeType: return NSNumber(value: Double(number) + 0.25)
    case .decimalAttributeType: return NSDecimalNumber(value: Double(number) + 0.5)
    case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number) * 1000.5)
    case .stringAttributeType: return "\(attribute.name) № \(number) 'quoted'"
    case .UUIDAttributeType:
      return UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number & 255)))
    case .URIAttributeType: return URL(string: "https://example.org/\(number)")
    case .binaryDataAttributeType:
      // Every other value is large enough for an external file, if these are allowed.
      let size = attribute.allowsExternalBinaryDataStorage && number % 2 == 0 ? 150_000 : 50
      return Data(repeating: UInt8(number & 255), count: size)
    case .transformableAttributeType: return ["bytes \(number)", "and more"]
    case .compositeAttributeType:
      let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
      var values: [String: Any] = [:]
      for element in elements { values[element.name] = value(element, number) }
      return values
    default: return nil
    }
  }

  // MARK: Relationships

  private static func relate(
    _ object: NSManagedObject, _ index: Int, _ objects: [String: [NSManagedObject]], _ count: Int
  ) {
    for relationship in object.entity.relationshipsByName.values
      .sorted(by: { $0.name < $1.name })
    {
      guard !relationship.isTransient,
        let candidates = candidates(relationship, objects), !candidates.isEmpty
      else { continue }
      let isLast = index == count - 1
      if relationship.isToMany {
        fillToMany(relationship, of: object, index, candidates, isLast)
      } else if object.value(forKey: relationship.name) == nil {
        if isLast, relationship.isOptional { continue }
        let isExclusive = relationship.inverseRelationship.map { !$0.isToMany } ?? false
        // Many refer to the first, one to the second.
        let target = isExclusive ? index : index < 6 || isLast ? 0 : 1
        let most = relationship.inverseRelationship?.maxCount ?? 0
        let chosen = candidates[target % candidates.count]
        if most > 1, let back = relationship.inverseRelationship?.name,
          chosen.objectIDs(forRelationshipNamed: back).count >= most
        {
          continue
        }
        object.setValue(chosen, forKey: relationship.name)
      }
    }
  }

  private static func candidates(
    _ relationship: NSRelationshipDescription, _ objects: [String: [NSManagedObject]]
  ) -> [NSManagedObject]? {
    guard let destination = relationship.destinationEntity else { return nil }
    return objects.keys.sorted().flatMap { name in
      (objects[name] ?? []).filter { $0.entity.isKindOf(entity: destination) }
    }
  }

  private static func fillToMany(
    _ relationship: NSRelationshipDescription, of object: NSManagedObject, _ index: Int,
    _ candidates: [NSManagedObject], _ isLast: Bool
  ) {
    let name = relationship.name
    let needed = max(relationship.minCount, relationship.isOptional ? 0 : 1)
    let present = object.objectIDs(forRelationshipNamed: name).count
    if let inverse = relationship.inverseRelationship, !inverse.isToMany, present >= needed {
      // The to-one side relates them.
      return
    }
    if isLast, needed == 0 { return }
    let most = relationship.maxCount > 0 ? relationship.maxCount : .max
    let wanted = min(max(needed, 2), most)
    // A member of a to-many relationship without an inverse has only one owner.
    let isShared = relationship.inverseRelationship?.isToMany ?? false
    for step in 0..<wanted {
      let position = isShared ? index + step : index * wanted + step
      guard isShared || needed > 0 || position < candidates.count else { break }
      object.addObject(candidates[position % candidates.count], toRelationshipNamed: name)
    }
  }
}
