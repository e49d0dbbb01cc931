import Foundation
import MomKit

/// Random changes to objects of ``TestModel/shop()``, determined by a seed and the same in every store.
struct RandomObjects {
  var random: Random
  private var number = 0
  private var made: [NSManagedObject] = []

  init(_ seed: Int) { random = Random(seed) }

  private static let texts = [
    "", "a", "A", "ab", "Äb", "ä", "e\u{301}", "é", "100%", "a_b", "x\\y", "😀", "zz top",
  ]

  /// Returns a random value for an attribute.
  mutating func value(_ type: NSAttributeType) -> Any? {
    if random.chance(25) { return nil }
    switch type {
    case .stringAttributeType: return random.pick(Self.texts)
    case .integer16AttributeType: return random.number(-3...3)
    case .integer32AttributeType: return random.number(-100_000...100_000)
    case .integer64AttributeType: return random.pick([0, 1, -1, 7, Int.max, Int.min, 1 << 40])
    case .doubleAttributeType: return random.pick([0, 0.5, -1.25, 1e300, 3])
    case .floatAttributeType: return random.pick([Float(0), 0.1, -2.5])
    case .decimalAttributeType:
      return random.pick(["0", "0.1", "-12.50", "99999999999999"]).map {
        NSDecimalNumber(string: $0)
      }
    case .booleanAttributeType: return random.chance(50)
    case .dateAttributeType:
      return Date(timeIntervalSinceReferenceDate: Double(random.number(-9...9)) * 86_400.5)
    case .UUIDAttributeType:
      return UUID(uuidString: "00000000-0000-0000-0000-00000000000\(random.number(0...9))")
    case .URIAttributeType: return URL(string: "https://example.com/\(random.number(0...3))")
    case .binaryDataAttributeType: return Data((0..<random.number(0...5)).map { UInt8($0) })
    default: return nil
    }
  }

  /// Inserts, changes, relates and deletes objects, and saves.
  mutating func step(_ context: NSManagedObjectContext) throws {
    var all: [NSManagedObject] = []
    for entity in ["Company", "Order", "Passport", "Person", "Tag"] {
      all += try context.all(entity).sorted { $0.key < $1.key }
    }
    for _ in 0..<random.number(1...8) {
      let entity =
        random.pick(["Company", "Order", "Passport", "Person", "Person", "Order", "Tag"]) ?? "Tag"
      let object = context.insert(entity)
      if entity == "Order" {
        number += 1
        object.setValue(number, forKey: "number")
      }
      if entity == "Person" || entity == "Company" {
        object.setValue(random.pick(Self.texts) ?? "", forKey: "name")
      }
      for property in attributes(of: object) {
        object.setValue(value(property.attributeType), forKey: property.name)
      }
      all.append(object)
    }
    for object in all where random.chance(30) {
      for property in attributes(of: object) where random.chance(30) {
        object.setValue(value(property.attributeType), forKey: property.name)
      }
    }
    // First, or relationships without an inverse would lead to deleted objects.
    for object in all where random.chance(6) { context.delete(object) }
    for object in all where random.chance(40) && !object.isDeleted {
      let relationships = object.entity.relationshipsByName.values.sorted { $0.name < $1.name }
      guard let relationship = random.pick(relationships) else { continue }
      let targets = all.filter { other in
        !other.isDeleted
          && relationship.destinationEntity.map { other.entity.isKindOf(entity: $0) } ?? false
      }
      if relationship.isToMany {
        let members = targets.filter { _ in random.chance(30) }.shuffled(using: &random)
        object.setValue(
          relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
          forKey: relationship.name)
      } else {
        object.setValue(random.chance(20) ? nil : random.pick(targets), forKey: relationship.name)
      }
    }
    try context.save()
  }

  private mutating func attributes(of object: NSManagedObject) -> [NSAttributeDescription] {
    object.entity.attributesByName.values.sorted { $0.name < $1.name }.filter {
      !["number", "vat", "address", "extra"].contains($0.name) && $0.isOptional
    }
  }
}

extension NSManagedObject {
  /// The primary key of its row.
  var key: Int64 {
    Int64(objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
  }
}

/// A store's entire contents, with each object identified by its position among those of its entity.
struct StoreContents: Equatable {
  var rows: [String: [String]] = [:]

  init(_ context: NSManagedObjectContext) throws {
    var places: [NSManagedObjectID: String] = [:]
    var all: [NSManagedObject] = []
    for entity in ["Company", "Order", "Passport", "Person", "Tag"] {
      for (place, object) in try context.all(entity).sorted(by: { $0.key < $1.key }).enumerated() {
        places[object.objectID] = "\(entity)#\(place)"
        all.append(object)
      }
    }
    for object in all {
      var row: [String] = []
      for property in object.entity.properties.sorted(by: { $0.name < $1.name }) {
        if property is NSAttributeDescription {
          row.append(
            "\(property.name)=\(object.value(forKey: property.name).map(Self.text) ?? "nil")")
        } else if let relationship = property as? NSRelationshipDescription {
          let names = object.objectIDs(forRelationshipNamed: property.name).map {
            places[$0] ?? "gone"
          }
          row.append("\(property.name)=\(relationship.isOrdered ? names : names.sorted())")
        }
      }
      rows[places[object.objectID] ?? ""] = row
    }
  }

  /// Describes the first difference.
  func difference(from other: StoreContents) -> String? {
    for name in Set(rows.keys).union(other.rows.keys).sorted() {
      guard let row = rows[name], let expected = other.rows[name] else {
        return "\(name) is missing"
      }
      for (value, wanted) in zip(row, expected) where value != wanted {
        return "\(name): \(value), not \(wanted)"
      }
    }
    return nil
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let number as NSDecimalNumber: number.stringValue
    case let number as NSNumber: "\(number.doubleValue)"
    case let data as Data: data.base64EncodedString()
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    default: "\(value)"
    }
  }
}
