import DataModels

extension Fact {
  /// The facts of an entity, other than its name, properties and indexes.
  static let entityFacts: [Fact] = EntityFact.allCases.map(entityFact)

  private static func entityFact(_ row: EntityFact) -> Fact {
    switch row {
    case .superentity:
      Fact(
        row, references: .owner,
        read: { $0.superentity.flatMap(\.name).map(ModelValue.entity) ?? .none },
        write: { entity, value, editor in
          try editor.setParent(of: entity, to: value.entityName.map(editor.entity(named:)))
        })
    case .isAbstract: Fact(row, \.isAbstract, as: .flag)
    case .className:
      Fact(
        row,
        read: { entity in
          let name = entity.managedObjectClassName ?? ""
          return name.isEmpty || name == "NSManagedObject" ? .none : .text(name)
        },
        write: { entity, value, _ in entity.managedObjectClassName = value.text })
    case .renamingIdentifier:
      Fact(
        row, read: { renaming($0.renamingIdentifier, name: $0.name) },
        write: { entity, value, _ in entity.renamingIdentifier = value.text })
    case .versionHashModifier: Fact(row, \.versionHashModifier, as: .text)
    case .uniquenessConstraints:
      Fact(
        row, merging: .members, references: .owner,
        read: { entity in
          .members(entity.ownUniquenessConstraints.map { .list($0.map { .property($0) }) })
        },
        write: { entity, value, _ in
          // The own ones, as they were read: what is inherited at this moment may change yet.
          entity.ownUniquenessConstraints = value.members.map { constraint in
            constraint.members.compactMap(\.propertyName)
          }
        })
    case .compoundIndexes:
      Fact(
        row, merging: .members, references: .owner,
        read: { entity in
          .members(CompoundIndexes.declared(in: entity).map { .list($0.map { .property($0) }) })
        },
        write: { entity, value, editor in
          let declared = Set(CompoundIndexes.declared(in: entity))
          let now = value.members.map { $0.members.compactMap(\.propertyName) }
          let known = Set(now)
          entity.compoundIndexes =
            entity.compoundIndexNames.filter { !declared.contains($0) && !known.contains($0) }
            + now
          editor.keepCompoundIndexes(known, of: entity)
        })
    case .userInfo: Fact(row, \.userInfo, as: .userInfo, merging: .fields)
    case .spotlightDisplayName:
      Fact(row, \.coreSpotlightDisplayNameExpression, as: .expression, references: .owner)
    }
  }

  /// A renaming identifier; one equal to the name is ignored.
  static func renaming(_ identifier: String?, name: String?) -> ModelValue {
    guard let identifier, !identifier.isEmpty, identifier != name else { return .none }
    return .text(identifier)
  }
}

/// The older list of indexes over several properties.
private enum CompoundIndexes {
  /// The compound indexes that are not redundant: newer compilers also write each fetch index over several properties
  /// as a compound index.
  static func declared(in entity: NSEntityDescription) -> [[String]] {
    guard !entity.compoundIndexNames.isEmpty else { return [] }
    let mirrored = Set(
      entity.indexes.filter { $0.elements.count > 1 }
        .map { $0.elements.map { $0.propertyName ?? "" } })
    return entity.compoundIndexNames.filter { !mirrored.contains($0) }
  }
}
