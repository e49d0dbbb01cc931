/// A model as plain values: the library's model is built from it, and the reference reads it directly.
///
/// Property names are unique in a model, so a property's name identifies the entity that declares it.
struct ModelPlan: Codable, Sendable, Equatable {
  var entities: [EntityPlan]

  /// The attribute of every object that holds the object's number in the simulator.
  static let serial = "n"

  func entity(_ name: String) -> EntityPlan? { entities.first { $0.name == name } }

  /// An entity and its superentities, the root last.
  func lineage(of name: String) -> [EntityPlan] {
    var lineage: [EntityPlan] = []
    var next = entity(name)
    while let entity = next, lineage.count <= entities.count {
      lineage.append(entity)
      next = entity.parent.flatMap { self.entity($0) }
    }
    return lineage
  }

  func root(of name: String) -> String { lineage(of: name).last?.name ?? name }

  /// Whether an entity is another one or a subentity of it.
  func isKind(_ name: String, of other: String) -> Bool {
    lineage(of: name).contains { $0.name == other }
  }

  func attributes(of name: String) -> [AttributePlan] { lineage(of: name).flatMap(\.attributes) }

  func relationships(of name: String) -> [RelationshipPlan] {
    lineage(of: name).flatMap(\.relationships)
  }

  func attribute(_ name: String, of entity: String) -> AttributePlan? {
    attributes(of: entity).first { $0.name == name }
  }

  func relationship(_ name: String, of entity: String) -> RelationshipPlan? {
    relationships(of: entity).first { $0.name == name }
  }

  /// A relationship by its name alone.
  func relationship(_ name: String) -> RelationshipPlan? {
    for entity in entities {
      if let found = entity.relationships.first(where: { $0.name == name }) { return found }
    }
    return nil
  }

  func inverse(of relationship: RelationshipPlan) -> RelationshipPlan? {
    relationship.inverse.flatMap { self.relationship($0) }
  }

  /// The to-many relationships without inverse.
  var lonelyToManys: [RelationshipPlan] {
    entities.flatMap(\.relationships).filter { $0.isToMany && $0.inverse == nil }
  }

  /// The uniqueness constraints of an entity, including inherited ones, each with the entity that declares it.
  func constraints(of name: String) -> [(declaring: String, attributes: [String])] {
    lineage(of: name).flatMap { entity in entity.constraints.map { (entity.name, $0) } }
  }

  /// The attribute that the class of an entity's objects sets by itself.
  func stamp(of name: String) -> String? { lineage(of: name).lazy.compactMap(\.stamp).first }

  /// The names of the entities that aren't abstract.
  var concreteEntities: [String] { entities.filter { !$0.isAbstract }.map(\.name) }

  /// The store of an entity's objects; the entities of a hierarchy share one.
  func store(of name: String) -> Int { entity(root(of: name))?.store ?? 0 }

  var storeCount: Int { (entities.map(\.store).max() ?? 0) + 1 }
}

/// An entity.
struct EntityPlan: Codable, Sendable, Hashable {
  var name: String
  var parent: String?
  var isAbstract = false
  var attributes: [AttributePlan] = []
  var relationships: [RelationshipPlan] = []
  var constraints: [[String]] = []
  /// The attribute that the objects' class sets by itself; subentities inherit it.
  var stamp: String?
  /// The number of the store that has the entity's objects; only used of root entities.
  var store = 0
}

/// An attribute. Its values are small numbers, which `kind` maps to values of the type.
struct AttributePlan: Codable, Sendable, Hashable {
  var name: String
  var kind: AttributeKind
  var isOptional = true
  var defaultValue: Int?
  var isTransient = false
  /// The to-many relationship whose members a derived attribute counts.
  var counted: String?
  /// The number of the largest valid value.
  var most: Int?

  /// Whether predicates and sort descriptors may use the attribute in a store.
  var isComparable: Bool { !isTransient && kind.isOrdered }
}

/// A relationship.
struct RelationshipPlan: Codable, Sendable, Hashable {
  enum Rule: String, Codable, Sendable { case nullify, cascade, deny, noAction }

  var name: String
  var destination: String
  var isToMany = false
  var isOrdered = false
  var inverse: String?
  var rule = Rule.nullify
  var isOptional = true
  var minimum = 0
  var maximum = 0
}
