import DataModels
import Foundation
import ModelEvolution

@_spi(Engines) @testable import ManagedObjects

/// Compares a store before and after a migration, and finds what was lost.
public struct MigrationComparison {
  /// The unexpected differences.
  public private(set) var differences: [String] = []
  /// The number of compared values.
  public private(set) var comparedCount = 0

  /// Compares snapshots of a store with two models.
  public init(
    _ before: StoreSnapshot, _ oldModel: NSManagedObjectModel, _ after: StoreSnapshot,
    _ newModel: NSManagedObjectModel
  ) {
    let correspondence = InferredCorrespondence(from: oldModel, to: newModel)
    let newNames = Dictionary(
      correspondence.entities.values.map { ($0.old, $0.new) },
      uniquingKeysWith: { first, _ in first })
    // Objects keep their keys, unless their table was merged with another.
    let shifts = Self.shifts(before, after, newNames)
    func renamed(_ link: String) -> String? {
      let parts = link.split(separator: "/")
      guard let name = newNames[String(parts[0])], let key = Int64(parts[1]) else { return nil }
      return "\(name)/\(key + (shifts[name] ?? 0))"
    }
    for pair in correspondence.entities.values.sorted(by: { $0.new < $1.new }) {
      guard let rows = before.entities[pair.old], let entity = newModel.entitiesByName[pair.new],
        let oldEntity = oldModel.entitiesByName[pair.old], !entity.isAbstract
      else { continue }
      for (key, row) in rows {
        guard let now = after.entities[pair.new]?[key + (shifts[pair.new] ?? 0)] else {
          differences.append("\(pair.old)/\(key) is lost")
          continue
        }
        for (name, oldName) in pair.attributes {
          guard let attribute = entity.attributesByName[name], !attribute.isTransient,
            !(attribute is NSDerivedAttributeDescription),
            let old = oldEntity.attributesByName[oldName], !old.isTransient
          else { continue }
          // Elements have renaming identifiers of their own.
          guard Self.elementNames(old) == Self.elementNames(attribute) else { continue }
          comparedCount += 1
          let expected = Self.expected(row[oldName] ?? [], old, attribute)
          if now[name] != expected {
            differences.append("\(pair.new)/\(key).\(name): \(now[name] ?? []), not \(expected)")
          }
        }
        for (name, oldName) in pair.relationships {
          guard let relationship = entity.relationshipsByName[name], !relationship.isTransient,
            let old = oldEntity.relationshipsByName[oldName], !old.isTransient
          else { continue }
          comparedCount += 1
          var links = (row[oldName] ?? []).compactMap(renamed)
          // Members whose own references are gone, because they aren't of the destination any more, go with these.
          if let destination = relationship.destinationEntity, relationship.isToMany,
            relationship.inverseRelationship?.isToMany == false
          {
            links.removeAll { link in
              let name = String(link.prefix { $0 != "/" })
              return newModel.entitiesByName[name]?.isKindOf(entity: destination) == false
            }
          }
          var present = now[name] ?? []
          if !(old.isOrdered && relationship.isOrdered) {
            links.sort()
            present.sort()
          }
          // The other side may have continued a relationship that had no inverse before.
          let isEqual =
            old.inverseRelationship == nil && relationship.inverseRelationship != nil
            ? Set(links).isSubset(of: present) : links == present
          if !isEqual {
            differences.append("\(pair.new)/\(key).\(name): \(present), not \(links)")
          }
        }
        for attribute in entity.attributesByName.values
        where pair.attributes[attribute.name] == nil && !attribute.isTransient
          && !(attribute is NSDerivedAttributeDescription)
          && attribute.defaultValue == nil && !(now[attribute.name] ?? []).isEmpty
        {
          guard attribute.attributeType != .compositeAttributeType else { continue }
          differences.append("\(pair.new)/\(key).\(attribute.name) is new and not empty")
        }
      }
      let count = after.entities[pair.new]?.count ?? 0
      if count != rows.count {
        differences.append("\(pair.new): \(count) objects, not \(rows.count)")
      }
    }
  }

  private static func elementNames(_ attribute: NSAttributeDescription) -> [String] {
    ((attribute as? NSCompositeAttributeDescription)?.elements ?? []).map(\.name)
  }

  private static func shifts(
    _ before: StoreSnapshot, _ after: StoreSnapshot, _ newNames: [String: String]
  ) -> [String: Int64] {
    var shifts: [String: Int64] = [:]
    for (old, new) in newNames {
      if let first = before.entities[old]?.keys.min(), let now = after.entities[new]?.keys.min() {
        shifts[new] = now - first
      }
    }
    return shifts
  }

  private static func expected(
    _ value: [String], _ old: NSAttributeDescription, _ new: NSAttributeDescription
  ) -> [String] {
    guard let text = value.first else {
      guard !new.isOptional || old.isTransient, let standard = new.defaultValue else { return [] }
      if let number = standard as? NSNumber { return ["\(number.doubleValue)"] }
      if let date = standard as? Date { return ["\(date.timeIntervalSinceReferenceDate)"] }
      return ["\(standard)"]
    }
    guard old.attributeType != new.attributeType, let number = Double(text) else { return value }
    switch new.attributeType {
    case .booleanAttributeType: return [number == 0 ? "0.0" : "1.0"]
    case .integer16AttributeType: return ["\(min(max(number.rounded(.towardZero), -32768), 32767))"]
    case .integer32AttributeType:
      return ["\(min(max(number.rounded(.towardZero), -2_147_483_648), 2_147_483_647))"]
    case .floatAttributeType: return ["\(Double(Float(number)))"]
    case .integer64AttributeType: return ["\(number.rounded(.towardZero))"]
    default: return value
    }
  }
}
