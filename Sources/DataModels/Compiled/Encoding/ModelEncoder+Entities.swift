import Foundation
import PredicateFormat
import PropertyLists

extension ModelEncoder {
  func encodeEntity(
    _ position: Int, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    let entity = entities[position]
    let name = assembler.text(names[position])
    assembler.put(ModelKey.entityName.id, leaf: name)
    assembler.put(ModelKey.className.id, leaf: entity.explicitClassName.map { assembler.text($0) })
    if entity.storedIsAbstract { assembler.put(ModelKey.isAbstract.id, boolean: true) }
    assembler.put(ModelKey.model.id, conditional: modelIdentity)
    assembler.put(
      ModelKey.superentity.id, conditional: identity(of: entity.storedSuperentity))
    putObject(ModelKey.subentities.id, .subentities(position), into: &assembler)
    putObject(ModelKey.properties.id, .properties(position), into: &assembler)
    if entity.orderedUserInfo.isEmpty {
      putObject(
        ModelKey.userInfo.id, item: .dictionary([], isMutable: false),
        identity: emptyDictionary(into: &assembler), into: &assembler)
    } else {
      putObject(
        ModelKey.userInfo.id,
        try userInfo(
          entity.orderedUserInfo, of: "the entity '\(names[position])'", into: &assembler),
        into: &assembler)
    }
    assembler.put(
      ModelKey.versionHashModifier.id, leaf: entity.versionHashModifier.map { assembler.text($0) })
    assembler.put(
      ModelKey.renamingIdentifier.id,
      leaf: entity.explicitRenamingIdentifier.map { assembler.text($0) } ?? name)
    if !entity.ownUniquenessConstraints.isEmpty {
      putObject(
        ModelKey.uniqueTuples.id, tuples(entity.ownUniquenessConstraints, into: &assembler),
        into: &assembler)
    }
    if let expression = entity.coreSpotlightDisplayNameExpression {
      put(.spotlightDisplayName, expression.tree, into: &assembler)
    }
    putIndexes(of: entity, position, into: &assembler)
    return putPreserved(entity.preserved, class: classes.entity(into: &assembler), into: &assembler)
  }

  private func putIndexes(
    of entity: NSEntityDescription, _ position: Int, into assembler: inout Assembler
  ) {
    let compounds =
      entity.compoundIndexNames.isEmpty
      ? entity.indexes.compactMap(Self.compound) : entity.compoundIndexNames
    // Before index objects existed, an index was a flag of its attribute, or a compound index.
    let indexes =
      vintage.hasFetchIndexes ? entity.indexes : entity.indexes.filter { !$0.isSynthesized }
    let listsAll = form == .cache && model.listsIndexesOfAllEntities
    if !indexes.isEmpty || listsAll {
      putObject(
        ModelKey.fetchIndexes.id,
        .array(
          indexes.map { index in
            let identity = assembler.newIdentity()
            return .item(.fetchIndex(index, entity: position, identity), identity)
          }, isMutable: true), into: &assembler)
    }
    if !indexes.isEmpty || !compounds.isEmpty || listsAll {
      putObject(
        ModelKey.compoundIndexes.id,
        tuples(
          compounds, isMutable: vintage.hasFetchIndexes || !indexes.isEmpty, into: &assembler),
        into: &assembler)
    }
  }

  /// The older form of an index: the names of its elements, if there are at least two, all of them plain properties in
  /// a B-tree.
  private static func compound(_ index: NSFetchIndexDescription) -> [String]? {
    guard index.elements.count > 1,
      index.elements.allSatisfy({
        $0.storedCollationType == .binary && $0.expressionDescription == nil
      })
    else { return nil }
    let names = index.elements.compactMap(\.propertyName)
    return names.count == index.elements.count ? names : nil
  }

  // MARK: Indexes

  func encode(
    _ index: NSFetchIndexDescription, entity: Int, _ identity: Identity,
    into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    assembler.put(ModelKey.indexName.id, leaf: assembler.text(index.storedName))
    putObject(
      ModelKey.indexElements.id,
      .array(
        index.elements.map { .item(.indexElement($0, index: identity), nil) },
        isMutable: form == .cache), into: &assembler)
    assembler.put(
      ModelKey.entity.id,
      conditional: index.isSynthesized && form == .compiled
        ? nil : self.identity(ofEntity: entity))
    try put(.partialIndexPredicate, index.storedPartialIndexPredicate, into: &assembler)
    return putPreserved(
      index.preserved,
      class: assembler.classIndex(ArchiveClass("NSFetchIndexDescription", "NSObject")),
      into: &assembler)
  }

  func encode(
    _ element: NSFetchIndexElementDescription, index: Identity, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    assembler.put(ModelKey.propertyName.id, leaf: element.propertyName.map { assembler.text($0) })
    if let expression = element.expressionDescription {
      putObject(ModelKey.indexedProperty.id, .property(expression, entity: nil), into: &assembler)
    }
    assembler.put(
      ModelKey.indexElementType.id, int64: Int(element.storedCollationType.rawValue))
    assembler.put(ModelKey.index.id, conditional: index)
    assembler.put(ModelKey.isAscending.id, boolean: element.storedIsAscending)
    return putPreserved(
      element.preserved,
      class: assembler.classIndex(ArchiveClass("NSFetchIndexElementDescription", "NSObject")),
      into: &assembler)
  }
}
