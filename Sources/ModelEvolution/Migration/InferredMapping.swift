import DataModels
import Foundation
import PredicateFormat

/// Infers mapping models. Core Data's method for it, `NSMappingModel.inferredMappingModel`, is in ManagedObjects.
package enum InferredMapping {
  /// Infers the mapping model between two models.
  ///
  /// - Throws: An `NSError` with code 134190 when the differences between the models don't allow for inference.
  package static func mappingModel(
    from sourceModel: NSManagedObjectModel, to destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    let old = ModelOutline(of: sourceModel)
    let new = ModelOutline(of: destinationModel)
    let matching = InferredMatching(from: old, to: new)
    var analysis = MigrationAnalysis(matching)
    analysis.run()
    let blocking = analysis.findings.sorted().filter { $0.rule.effect == .blocks }
    guard blocking.isEmpty else { throw InferenceFailure.error(blocking) }
    let maker = MappingMaker(
      matching: matching, oldHashes: sourceModel.entityVersionHashesByName,
      newHashes: destinationModel.entityVersionHashesByName)
    let model = NSMappingModel()
    model.entityMappings = maker.mappings()
    return model
  }
}

/// The error for a failed inference.
enum InferenceFailure {
  /// `NSInferredMappingModelError`.
  static let code = 134190

  static func error(_ findings: [MigrationFinding]) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain, code: code,
      userInfo: [
        NSLocalizedDescriptionKey: "no mapping model can be inferred between these models",
        "reason": findings.map(\.message).joined(separator: "; "),
        "entity": findings.first?.path.entityName ?? "",
        "property": findings.first.map { $0.path.isInsideEntity ? $0.path.name : "" } ?? "",
      ])
  }
}

/// Creates the entity mappings of two matched models.
private struct MappingMaker {
  let matching: InferredMatching
  let oldHashes: [String: Data]
  let newHashes: [String: Data]

  func mappings() -> [NSEntityMapping] {
    var made: [(String, NSEntityMapping)] = []
    // An entity that became abstract has a mapping, which fails if there are objects, so that none are lost.
    for pair in matching.pairs
    where !isAbstract(pair.new, in: matching.new) || !isAbstract(pair.old, in: matching.old) {
      made.append((pair.new, mapping(of: pair)))
    }
    for name in matching.addedEntities where !isAbstract(name, in: matching.new) {
      let mapping = NSEntityMapping()
      mapping.name = "IEM_Add_\(name)"
      mapping.mappingType = .addEntityMappingType
      mapping.destinationEntityName = name
      mapping.destinationEntityVersionHash = newHashes[name]
      made.append((name, mapping))
    }
    let removed = matching.removedEntities.filter { !isAbstract($0, in: matching.old) }.sorted()
    return made.sorted { $0.0 < $1.0 }.map(\.1) + removed.map(removal)
  }

  private func isAbstract(_ name: String, in outline: ModelOutline) -> Bool {
    outline[.entity(name)]?["abstract"].isTrue ?? false
  }

  private func removal(of name: String) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = "IEM_Remove_\(name)"
    mapping.mappingType = .removeEntityMappingType
    mapping.sourceEntityName = name
    mapping.sourceEntityVersionHash = oldHashes[name]
    mapping.sourceExpression = MappingExpression.objects(of: name)
    return mapping
  }

  private func mapping(of pair: InferredMatching.EntityPair) -> NSEntityMapping {
    let isSame = oldHashes[pair.old] == newHashes[pair.new] && pair.old == pair.new
    let mapping = NSEntityMapping()
    mapping.name = "IEM_\(isSame ? "Copy" : "Transform")_\(pair.new)"
    mapping.mappingType = isSame ? .copyEntityMappingType : .transformEntityMappingType
    mapping.sourceEntityName = pair.old
    mapping.sourceEntityVersionHash = oldHashes[pair.old]
    mapping.destinationEntityName = pair.new
    mapping.destinationEntityVersionHash = newHashes[pair.new]
    mapping.sourceExpression = MappingExpression.objects(of: pair.old)
    var attributes: [NSPropertyMapping] = []
    var relationships: [NSPropertyMapping] = []
    for (old, new) in pair.properties
    where old.element.entersEntityHash && new.element.entersEntityHash
      && new.element.kind != .derivedAttribute
    {
      let property = NSPropertyMapping()
      property.name = new.name
      property.valueExpression =
        new.isRelationship
        ? MappingExpression.related(old.name) : MappingExpression.value(of: old.name)
      if new.isRelationship { relationships.append(property) } else { attributes.append(property) }
    }
    for added in pair.added where added.element.entersEntityHash {
      let property = NSPropertyMapping()
      property.name = added.name
      if added.isRelationship {
        relationships.append(property)
      } else {
        attributes.append(property)
      }
    }
    mapping.attributeMappings = attributes.sorted { ($0.name ?? "") < ($1.name ?? "") }
    mapping.relationshipMappings = relationships.sorted { ($0.name ?? "") < ($1.name ?? "") }
    return mapping
  }
}

/// The expressions used in mapping models.
private enum MappingExpression {
  /// All objects of a source entity.
  static func objects(of entity: String) -> DescribedExpression {
    let request = DescribedExpression(
      forFunction: DescribedExpression(forVariable: "manager"),
      selectorName: "fetchRequestForSourceEntityNamed:predicateString:",
      arguments: [
        DescribedExpression(forConstantValue: entity),
        DescribedExpression(forConstantValue: "TRUEPREDICATE"),
      ])
    let context = ExpressionTree.KeyPath("sourceContext", from: .variable("manager"))
    return DescribedExpression(
      .fetch(request: request.tree, context: .keyPath(context), countOnly: false))
  }

  /// The source object's value.
  static func value(of property: String) -> DescribedExpression {
    DescribedExpression(
      forFunction: DescribedExpression(forVariable: "source"), selectorName: "valueForKey:",
      arguments: [DescribedExpression(forConstantValue: property)])
  }

  /// The migrated counterparts of the source object's related objects.
  static func related(_ relationship: String) -> DescribedExpression {
    DescribedExpression(
      forFunction: DescribedExpression(forVariable: "manager"),
      selectorName: "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
      arguments: [
        DescribedExpression(forConstantValue: relationship), value(of: relationship),
      ])
  }
}
