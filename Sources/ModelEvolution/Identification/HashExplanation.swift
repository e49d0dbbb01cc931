import DataModels
import Foundation

/// Searches for a single edit that would give an entity another hash, to explain how an unknown version probably
/// differs.
///
/// Only single edits are tried; a hash that requires several is not explained.
struct HashExplanation {
  private let model: NSManagedObjectModel
  /// The most properties of an entity for which edits are tried, since each attempt hashes all of them.
  private static let propertyLimit = 200

  init(_ model: NSManagedObjectModel) {
    self.model = model.deepCopy()
  }

  /// The probable differences of the entity with the given hash; empty when no single edit explains it.
  func reasons(entity name: String, hash: Data) -> [String] {
    guard let entity = model.entitiesByName[name], entity.properties.count <= Self.propertyLimit
    else { return [] }
    return entityEdits(entity, hash)
      + entity.ownProperties.flatMap { property in
        propertyEdits(property, of: entity, hash)
      }
  }

  /// Sets a value, compares the hash, and restores the old value.
  private func explains<Subject: AnyObject, Value>(
    _ hash: Data, of entity: NSEntityDescription, setting subject: Subject,
    at path: ReferenceWritableKeyPath<Subject, Value>, to value: Value
  ) -> Bool {
    let old = subject[keyPath: path]
    subject[keyPath: path] = value
    defer { subject[keyPath: path] = old }
    return entity.versionHash == hash
  }

  private func entityEdits(_ entity: NSEntityDescription, _ hash: Data) -> [String] {
    var found: [String] = []
    if explains(hash, of: entity, setting: entity, at: \.isAbstract, to: !entity.isAbstract) {
      found.append("the store's version is \(entity.isAbstract ? "not " : "")abstract")
    }
    if entity.versionHashModifier != nil,
      explains(hash, of: entity, setting: entity, at: \.versionHashModifier, to: nil)
    {
      found.append("the store's version has no hash modifier")
    }
    let own = entity.ownUniquenessConstraints
    for index in own.indices {
      entity.ownUniquenessConstraints.remove(at: index)
      if entity.versionHash == hash {
        let names = own[index].joined(separator: ", ")
        found.append("the store's version has no uniqueness constraint on \(names)")
      }
      entity.ownUniquenessConstraints = own
    }
    return found
  }

  private func propertyEdits(
    _ property: NSPropertyDescription, of entity: NSEntityDescription, _ hash: Data
  ) -> [String] {
    var found: [String] = []
    let name = property.name
    let all = entity.ownProperties
    entity.properties = all.filter { $0 !== property }
    if entity.versionHash == hash { found.append("the store's version has no \(name)") }
    entity.properties = all
    if explains(hash, of: entity, setting: property, at: \.isOptional, to: !property.isOptional) {
      found.append("in the store \(name) is \(property.isOptional ? "mandatory" : "optional")")
    }
    if property.versionHashModifier != nil,
      explains(hash, of: entity, setting: property, at: \.versionHashModifier, to: nil)
    {
      found.append("in the store \(name) has no hash modifier")
    }
    if let attribute = property as? NSAttributeDescription {
      found += attributeEdits(attribute, of: entity, hash)
    }
    if let relationship = property as? NSRelationshipDescription {
      found += relationshipEdits(relationship, of: entity, hash)
    }
    return found
  }

  private func attributeEdits(
    _ attribute: NSAttributeDescription, of entity: NSEntityDescription, _ hash: Data
  ) -> [String] {
    let name = attribute.name
    var found: [String] = []
    for type in NSAttributeType.allCases where type != attribute.attributeType {
      if explains(hash, of: entity, setting: attribute, at: \.attributeType, to: type) {
        found.append("in the store \(name) is of type \(type.label)")
      }
    }
    let external = attribute.allowsExternalBinaryDataStorage
    if explains(
      hash, of: entity, setting: attribute, at: \.allowsExternalBinaryDataStorage, to: !external)
    {
      found.append("in the store \(name) is \(external ? "not " : "")stored externally")
    }
    let preserved = attribute.preservesValueInHistoryOnDeletion
    if explains(
      hash, of: entity, setting: attribute, at: \.preservesValueInHistoryOnDeletion, to: !preserved)
    {
      found.append("in the store \(name) is \(preserved ? "not " : "")preserved on deletion")
    }
    return found
  }

  private func relationshipEdits(
    _ relationship: NSRelationshipDescription, of entity: NSEntityDescription, _ hash: Data
  ) -> [String] {
    let name = relationship.name
    var found: [String] = []
    let isOrdered = relationship.isOrdered
    if explains(hash, of: entity, setting: relationship, at: \.isOrdered, to: !isOrdered) {
      found.append("in the store \(name) is \(isOrdered ? "un" : "")ordered")
    }
    for count in [0, 1] where count != relationship.maxCount {
      if explains(hash, of: entity, setting: relationship, at: \.maxCount, to: count) {
        found.append("in the store \(name) is \(count == 1 ? "to-one" : "to-many")")
      }
    }
    for count in [0, 1] where count != relationship.minCount {
      if explains(hash, of: entity, setting: relationship, at: \.minCount, to: count) {
        found.append("in the store \(name) has the minimum count \(count)")
      }
    }
    return found
  }
}
