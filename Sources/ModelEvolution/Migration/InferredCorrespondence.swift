import DataModels
import Foundation

/// The correspondence, by name, of a new model's entities and properties with those of an old one, as needed to migrate
/// a store without a mapping model.
package struct InferredCorrespondence: Sendable {
  /// A pair of corresponding entities.
  package struct Entity: Sendable {
    /// The entity's name in the old model.
    package let old: String
    /// The entity's name in the new model.
    package let new: String
    /// The old name of each attribute of the new entity that corresponds to an old one.
    package let attributes: [String: String]
    /// The old name of each relationship of the new entity that corresponds to an old one.
    package let relationships: [String: String]
  }

  /// The entities in both models, by their new names.
  package let entities: [String: Entity]
  /// The obstacles to inferring a mapping; empty when there are none.
  let obstacles: [MigrationFinding]

  /// Matches two models, which are not modified.
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

  /// The error for a failed inference: ``NSInferredMappingModelError`` in Cocoa's domain.
  package var error: NSError? { obstacles.isEmpty ? nil : InferenceFailure.error(obstacles) }
}
