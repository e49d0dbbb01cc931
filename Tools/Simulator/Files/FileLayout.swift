/// Where a model's objects are in a store's file, by the rules of the format; this deliberately doesn't use the
/// library's code.
///
/// Property names are unique in a model, so no column name needs a number suffix.
struct FileLayout {
  let model: ModelPlan
  private var numbers: [String: Int] = [:]
  private var lastNumbers: [String: Int] = [:]

  init(_ model: ModelPlan) {
    self.model = model
    var next = 1
    number(below: nil, &next)
  }

  /// Numbers the entities in the order of their names; subentities directly follow their parent.
  private mutating func number(below parent: String?, _ next: inout Int) {
    for entity in model.entities.filter({ $0.parent == parent }).sorted(by: { $0.name < $1.name }) {
      numbers[entity.name] = next
      next += 1
      number(below: entity.name, &next)
      lastNumbers[entity.name] = next - 1
    }
  }

  func number(of entity: String) -> Int { numbers[entity] ?? 0 }

  /// The numbers of an entity and its subentities.
  func numbers(of entity: String) -> ClosedRange<Int> {
    let first = number(of: entity)
    return first...max(first, lastNumbers[entity] ?? first)
  }

  func entity(_ number: Int) -> String? { numbers.first { $0.value == number }?.key }

  func table(of entity: String) -> String { "Z" + model.root(of: entity).uppercased() }

  /// The column of an attribute, or of a to-one relationship's key.
  func column(_ property: String) -> String { "Z" + property.uppercased() }

  func declaring(_ relationship: RelationshipPlan) -> String {
    model.entities.first { entity in
      entity.relationships.contains { $0.name == relationship.name }
    }?.name ?? ""
  }

  private func hasSubentities(_ entity: String) -> Bool {
    model.entities.contains { $0.parent == entity }
  }

  /// The columns that refer to one row each: those of to-one relationships, and the owner columns of the members of
  /// relationships without inverse.
  var links: [FileLink] {
    model.entities.flatMap { entity in
      entity.relationships.compactMap { relationship in
        let name = relationship.name.uppercased()
        let inverse = model.inverse(of: relationship)
        if !relationship.isToMany {
          let isOrdered = inverse?.isOrdered == true
          return FileLink(
            relationship: relationship.name, source: entity.name,
            target: relationship.destination, key: "Z\(name)",
            entity: hasSubentities(relationship.destination)
              ? "Z\(number(of: relationship.destination))_\(name)" : nil,
            position: isOrdered ? "Z_FOK_\(name)" : nil)
        }
        guard inverse == nil else { return nil }
        let number = number(of: entity.name)
        return FileLink(
          relationship: relationship.name, source: relationship.destination, target: entity.name,
          key: "Z\(number)\(name)",
          entity: hasSubentities(entity.name) ? "Z\(number)_\(number)\(name)" : nil,
          position: relationship.isOrdered ? "Z_FOK_\(number)\(name)" : nil)
      }
    }
  }

  /// The join tables of many-to-many relationships. Which side gives the table its name is determined from the file.
  func joins(_ file: StoreFile) -> [FileJoin] {
    model.entities.flatMap { entity in
      entity.relationships.compactMap { relationship -> FileJoin? in
        guard relationship.isToMany, let inverse = model.inverse(of: relationship),
          inverse.isToMany
        else { return nil }
        let (name, other) = (relationship.name.uppercased(), inverse.name.uppercased())
        let number = number(of: entity.name)
        let isReflexive = inverse.name == relationship.name
        guard let table = file.columns["Z_\(number)\(name)"], !table.isEmpty else { return nil }
        let members = "Z_\(self.number(of: declaring(inverse)))\(name)"
        let owners = isReflexive ? "REFLEXIVE" : "Z_\(number)\(other)"
        return FileJoin(
          relationship: relationship, inverse: inverse, source: entity.name,
          table: "Z_\(number)\(name)", owner: isReflexive ? members : owners,
          member: isReflexive ? owners : members)
      }
    }
  }
}

/// The columns with which rows refer to one other row each.
struct FileLink {
  var relationship: String
  /// The entity whose rows have the columns, and the entity of the rows referred to.
  var source: String
  var target: String
  var key: String
  /// The column with the entity of the row referred to, where several are possible.
  var entity: String?
  /// The column with the position among the rows that refer to the same row.
  var position: String?
}

/// The join table of a many-to-many relationship, seen from the side it is named after.
struct FileJoin {
  var relationship: RelationshipPlan
  var inverse: RelationshipPlan
  var source: String
  var table: String
  var owner: String
  var member: String

  var isReflexive: Bool { relationship.name == inverse.name }
  /// The column with the position among an owner's members.
  var memberPosition: String? { relationship.isOrdered ? "Z_FOK" + position(member) : nil }
  /// The column with the position among a member's owners; a relationship that is its own inverse has separate rows
  /// instead.
  var ownerPosition: String? {
    inverse.isOrdered && !isReflexive ? "Z_FOK" + position(owner) : nil
  }

  private func position(_ column: String) -> String {
    column.hasPrefix("Z_") ? String(column.dropFirst(1)) : "_" + column
  }
}
