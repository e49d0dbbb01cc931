import DataModels
import Foundation
import PropertyLists

extension ModelSchema {
  /// Creates the schema of a model.
  ///
  /// The model may be invalid, for example because it was read but not checked yet: a relationship without a
  /// destination or an entity without a name is described as it is. If two entities have the same name, both are
  /// listed.
  ///
  /// - Parameter model: The model, which is not modified.
  public init(_ model: NSManagedObjectModel) {
    let hashes = model.entityVersionHashesByName
    self.init(
      versionIdentifiers: model.versionIdentifiers.map { "\($0)" }.sorted(),
      checksum: VersionHashes.checksum(of: hashes),
      compiler: model.compilerStamp.map {
        Compiler(toolVersion: $0.toolVersion, xcodeVersion: $0.xcodeVersion)
      },
      entities: model.entities.map { Entity($0, hashes) }.sorted { $0.name < $1.name },
      configurations: Self.configurations(of: model),
      fetchRequestTemplates: model.fetchRequestTemplatesByName
        .map { FetchRequest($0.value, name: $0.key) }
        .sorted { ($0.name ?? "") < ($1.name ?? "") },
      localizationDictionary: model.localizationDictionary)
  }

  private static func configurations(of model: NSManagedObjectModel) -> [Configuration] {
    model.namedConfigurations.sorted().map { name in
      let entities = model.entities(forConfigurationName: name) ?? []
      return Configuration(name: name, entities: entities.map { $0.name ?? "" }.sorted())
    }
  }
}

extension ModelSchema.Entity {
  /// Creates the schema of an entity with its own properties, without inherited ones.
  init(_ entity: NSEntityDescription, _ hashes: [String: Data]) {
    self.init(
      name: entity.name ?? "",
      subentities: entity.subentities.map { $0.name ?? "" }.sorted(),
      properties: entity.ownPropertyList.map { ModelSchema.Property($0) }
        .sorted { $0.name < $1.name },
      indexes: entity.indexes.map { ModelSchema.FetchIndex($0) }.sorted { $0.name < $1.name },
      versionHash: entity.name.flatMap { hashes[$0] }.map { DisplayText.hex($0) })
    for fact in EntityFact.allCases {
      switch fact {
      case .superentity: superentity = entity.superentity.map { $0.name ?? "" }
      case .isAbstract: isAbstract = entity.isAbstract
      case .className: className = entity.explicitClassName
      case .renamingIdentifier: renamingIdentifier = entity.explicitRenamingIdentifier
      case .versionHashModifier: versionHashModifier = entity.versionHashModifier
      case .uniquenessConstraints: uniquenessConstraints = entity.ownUniquenessConstraints
      case .compoundIndexes: compoundIndexes = entity.compoundIndexes.map { Self.names($0) }
      case .userInfo: userInfo = ModelSchema.Value.userInfo(entity.userInfo)
      case .spotlightDisplayName:
        coreSpotlightDisplayName = entity.coreSpotlightDisplayNameExpression.map {
          FormatText.text(of: $0)
        }
      }
    }
  }

  /// The names in a tuple of names or property descriptions.
  private static func names(_ tuple: [Any]) -> [String] {
    tuple.map { FormatText.name(of: $0) }
  }
}

extension ModelSchema.FetchIndex {
  /// Creates the schema of an index.
  init(_ index: NSFetchIndexDescription) {
    self.init(
      name: index.name,
      elements: index.elements.map { Element($0) },
      predicate: index.partialIndexPredicate.map { FormatText.text(of: $0) })
  }
}

extension ModelSchema.FetchIndex.Element {
  /// Creates the schema of an element of an index.
  init(_ element: NSFetchIndexElementDescription) {
    self.init(
      name: element.propertyName ?? "",
      expression: (element.property as? NSExpressionDescription)
        .map { ModelSchema.ExpressionResult($0) },
      collation: element.collationType == .rTree ? .rTree : .binary,
      isAscending: element.isAscending)
  }
}

extension ModelSchema.ExpressionResult {
  /// Creates the schema of an expression.
  init(_ expression: NSExpressionDescription) {
    self.init(
      expression: expression.expression.map { FormatText.text(of: $0) },
      resultType: .init(rawValue: Int(expression.expressionResultType.rawValue)))
  }
}
