import DataModels
import Foundation

/// An entity in XML stores: its name is uppercased, those of its properties are lowercased.
final class XMLStoreEntity {
  /// A relationship.
  struct Relationship {
    let property: PropertyLayout
    /// `<relationship name="…" type="…" destination="…"`, on a line of its own.
    let head: [UInt8]

    init(_ property: PropertyLayout, _ description: NSRelationshipDescription) {
      self.property = property
      let destination = (description.destinationEntity?.name ?? "").uppercased()
      head = Array(
        ("\n        <relationship name=\"\(XMLStoreText.quoted(property.name.lowercased()))\" "
          + "type=\"\(description.minCount)/\(description.maxCount)\" "
          + "destination=\"\(XMLStoreText.quoted(destination))\"").utf8)
    }
  }

  let layout: EntityLayout
  let name: String
  /// The attributes by name, in the order in which a new object's are written: an entity's own attributes before
  /// inherited ones, each group in reverse alphabetical order.
  let fields: [(name: String, field: XMLStoreField)]
  /// The relationships by name, in the order in which a new object's are written: first to-one, then to-many
  /// relationships; in each group inherited ones first, alphabetically.
  let relationships: [(name: String, relationship: Relationship)]
  private let fieldsByName: [String: Int]
  private let relationshipsByName: [String: Int]

  /// - Throws: an `NSError` for properties whose lowercased names are the same.
  init(_ layout: EntityLayout) throws {
    self.layout = layout
    name = layout.name.uppercased()
    fields = layout.values.reversed().filter { !$0.isTransient && $0.isInFiles }
      .flatMap { property -> [(name: String, field: XMLStoreField)] in
        guard let attribute = property.description as? NSAttributeDescription else { return [] }
        return Self.fields(
          of: attribute, slot: property.slot, path: [], name: property.name.lowercased())
      }
    relationships = (layout.toOnes + layout.toManys).filter { !$0.isTransient }
      .compactMap { property -> (name: String, relationship: Relationship)? in
        guard let description = property.description as? NSRelationshipDescription else {
          return nil
        }
        return (property.name.lowercased(), Relationship(property, description))
      }
    fieldsByName = Dictionary(
      fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    relationshipsByName = Dictionary(
      relationships.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<String> = []
    for name in fields.map({ $0.name }) + relationships.map({ $0.name })
    where !seen.insert(name).inserted {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "An XML store has lowercase property names, but the entity '\(layout.name)' has two "
          + "that become '\(name)'.", userInfo: ["entity": layout.name])
    }
  }

  private static func fields(
    of attribute: NSAttributeDescription, slot: Int, path: [String], name: String
  ) -> [(name: String, field: XMLStoreField)] {
    guard let composite = attribute as? NSCompositeAttributeDescription else {
      return [(name, XMLStoreField(attribute, slot: slot, path: path, name: name))]
    }
    return composite.elements.flatMap { element in
      fields(
        of: element, slot: slot, path: path + [element.name],
        name: "\(name).\(element.name.lowercased())")
    }
  }

  func field(_ name: String) -> XMLStoreField? { fieldsByName[name].map { fields[$0].field } }

  func relationship(_ name: String) -> Relationship? {
    relationshipsByName[name].map { relationships[$0].relationship }
  }
}

/// The entities of a store by uppercased name.
struct XMLStoreEntities {
  private var byName: [String: XMLStoreEntity] = [:]
  private var byLayout: [ObjectIdentifier: XMLStoreEntity] = [:]

  /// - Throws: an `NSError` for entities or properties that such a file can't distinguish.
  init(_ opening: StoreOpening) throws {
    for layout in opening.layouts.entities
    where opening.entityNames?.contains(layout.name) ?? true {
      let entity = try XMLStoreEntity(layout)
      if let other = byName.updateValue(entity, forKey: entity.name) {
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleSchemaError,
          "An XML store has uppercase entity names, in which '\(other.layout.name)' and "
            + "'\(layout.name)' are equal.", userInfo: ["entity": layout.name])
      }
      byLayout[ObjectIdentifier(layout)] = entity
    }
  }

  subscript(name: String) -> XMLStoreEntity? { byName[name] }
  subscript(layout: EntityLayout) -> XMLStoreEntity? { byLayout[ObjectIdentifier(layout)] }
}
