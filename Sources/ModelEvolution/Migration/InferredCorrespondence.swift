import DataModels
import Foundation

/// Which entity and property of a new model goes on with the values of which of the old one, by name:
/// what a store needs to migrate without a mapping model.
package struct InferredCorrespondence: Sendable {
  /// Two entities that are one.
  package struct Entity: Sendable {
    /// The entity's name in the old model.
    package let old: String
    /// The entity's name in the new model.
    package let new: String
    /// For each attribute of the new entity that goes on with an old one, the old one's name.
    package let attributes: [String: String]
    /// For each relationship of the new entity that goes on with an old one, the old one's name.
    package let relationships: [String: String]
  }

  /// The entities that both models have, by their new names.
  package let entities: [String: Entity]
  /// What keeps a mapping from being inferred; empty when one can be.
  let obstacles: [MigrationFinding]

  /// Matches two models; neither is changed.
  package init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
    let matching = InferredMatching(from: ModelOutline(of: old), to: ModelOutline(of: new))
    var analysis = MigrationAnalysis(matching)
    analysis.run()
    obstacles = analysis.findings.sorted().filter { $0.rule.effect == .blocks }
    entities = Dictionary(
      matching.pairs.map { pair in
        func names(_ areRelationships: Bool) -> [String: String] {
          Dictionary(
            pair.properties.filter { $0.new.isRelationship == areRelationships }
              .map { ($0.new.name, $0.old.name) }, uniquingKeysWith: { first, _ in first })
        }
        return (
          pair.new,
          Entity(
            old: pair.old, new: pair.new, attributes: names(false), relationships: names(true))
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The error of an inference that fails: ``NSInferredMappingModelError`` of Cocoa's domain.
  package var error: NSError? { obstacles.isEmpty ? nil : InferenceFailure.error(obstacles) }
}
