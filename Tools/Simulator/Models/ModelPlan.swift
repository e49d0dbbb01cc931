/// A model as plain values, from which the library's model is built and which the reference reads by itself.
///
/// Names of properties are unique in a model, so that a property's name says which entity declares it.
struct ModelPlan: Codable, Equatable {
  var entities: [EntityPlan]

  /// The attribute of every object that says which of the simulator's objects it is.
  static let serial = "n"

  func entity(_ name: String) -> EntityPlan? { entities.first { $0.name == name } }

  /// An entity and those above it, the root last.
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

  /// Whether an entity is another one or below it.
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

  /// The constraints that an entity's objects obey, with the entity that declares each.
  func constraints(of name: String) -> [(declaring: String, attributes: [String])] {
    lineage(of: name).flatMap { entity in entity.constraints.map { (entity.name, $0) } }
  }

  /// The attribute that the class of an entity's objects sets by itself.
  func stamp(of name: String) -> String? { lineage(of: name).lazy.compactMap(\.stamp).first }

  /// The entities that objects may be of.
  var concreteEntities: [String] { entities.filter { !$0.isAbstract }.map(\.name) }

  /// Which store the objects of an entity are in: all of a hierarchy are in one.
  func store(of name: String) -> Int { entity(root(of: name))?.store ?? 0 }

  var storeCount: Int { (entities.map(\.store).max() ?? 0) + 1 }
}

/// An entity.
struct EntityPlan: Codable, Hashable {
  var name: String
  var parent: String?
  var isAbstract = false
  var attributes: [AttributePlan] = []
  var relationships: [RelationshipPlan] = []
  var constraints: [[String]] = []
  /// The attribute that the objects' class sets by itself; those below have it too.
  var stamp: String?
  /// The number of the store that has its objects; a root's counts.
  var store = 0
}

/// An attribute. Its values are small numbers, which its kind turns into values of its type.
struct AttributePlan: Codable, Hashable {
  var name: String
  var kind: AttributeKind
  var isOptional = true
  var defaultValue: Int?
  var isTransient = false
  /// The to-many relationship whose members a derived attribute counts.
  var counted: String?
  /// The number of the greatest value that validation lets through.
  var most: Int?

  /// Whether predicates and sorts may ask for it in a store.
  var isComparable: Bool { !isTransient && kind.isOrdered }
}

/// A relationship.
struct RelationshipPlan: Codable, Hashable {
  enum Rule: String, Codable { case nullify, cascade, deny, noAction }

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
