import DataModels
import Foundation

/// Determines which of several models a store was created with, from the hashes in its metadata, or else which model is
/// closest and how it differs.
///
/// ```swift
/// let identification = StoreIdentification(
///   entityHashes: metadata.entityHashes, cachedModel: nil, candidates: bundle)
/// print(identification.exact.first ?? identification.nearest?.name ?? "unknown")
/// ```
public struct StoreIdentification: Sendable {
  /// An entity in which a store and a model differ.
  public struct Mismatch: Hashable, Sendable {
    /// The kind of mismatch.
    public enum Kind: String, Hashable, Sendable {
      /// The entity is only in the store.
      case onlyInStore = "only-in-store"
      /// The entity is only in the model.
      case onlyInModel = "only-in-model"
      /// The entity is in both, with different hashes.
      case differs
    }

    /// The entity's name.
    public let entity: String
    /// The kind of mismatch.
    public let kind: Kind
    /// The differences, one sentence each; empty when they can't be determined from the hashes.
    public let reasons: [String]
  }

  /// The result of comparing a store with a model.
  public struct Match: Hashable, Sendable {
    /// The model's name.
    public let name: String
    /// The number of entities with the store's hash.
    public let equalCount: Int
    /// The entities that don't match, by name; empty when the store was created with the model.
    public let mismatches: [Mismatch]
  }

  /// All models, the closest first; reasons are given only for the first.
  public let ranking: [Match]

  /// The models that match the store exactly.
  public var exact: [String] { ranking.filter(\.mismatches.isEmpty).map(\.name) }
  /// The model with the fewest mismatches; nil when there are no models.
  public var nearest: Match? { ranking.first }

  /// Compares a store's hashes with models.
  ///
  /// - Parameters:
  ///   - entityHashes: The hash of each entity, from the store's metadata.
  ///   - cachedModel: The copy of its model that the store keeps; with it, the reasons are exact.
  ///   - candidates: The models by name.
  public init(
    entityHashes: [String: Data], cachedModel: NSManagedObjectModel?,
    candidates: some Sequence<(name: String, model: NSManagedObjectModel)>
  ) {
    let models = Array(candidates)
    var matches = models.map { candidate in
      Self.match(
        candidate.name, store: entityHashes, model: candidate.model.entityVersionHashesByName)
    }
    let order = matches.indices.sorted { one, other in
      (matches[one].mismatches.count, -matches[one].equalCount, one)
        < (matches[other].mismatches.count, -matches[other].equalCount, other)
    }
    if let first = order.first, !matches[first].mismatches.isEmpty {
      matches[first] = Self.explained(
        matches[first], store: entityHashes, model: models[first].model, cached: cachedModel)
    }
    ranking = order.map { matches[$0] }
  }

  private static func match(
    _ name: String, store: [String: Data], model: [String: Data]
  ) -> Match {
    var mismatches: [Mismatch] = []
    for entity in Set(store.keys).union(model.keys).sorted() where store[entity] != model[entity] {
      let kind: Mismatch.Kind =
        model[entity] == nil ? .onlyInStore : store[entity] == nil ? .onlyInModel : .differs
      mismatches.append(Mismatch(entity: entity, kind: kind, reasons: []))
    }
    let equal = store.filter { model[$0.key] == $0.value }.count
    return Match(name: name, equalCount: equal, mismatches: mismatches)
  }

  private static func explained(
    _ match: Match, store: [String: Data], model: NSManagedObjectModel,
    cached: NSManagedObjectModel?
  ) -> Match {
    let reasons: [String: [String]]
    if let cached {
      reasons = changes(from: cached, to: model)
    } else {
      let explanation = HashExplanation(model)
      let differing = match.mismatches.filter { $0.kind == .differs }.map(\.entity)
      reasons = Dictionary(
        uniqueKeysWithValues: differing.map { name in
          (name, store[name].map { explanation.reasons(entity: name, hash: $0) } ?? [])
        })
    }
    return Match(
      name: match.name, equalCount: match.equalCount,
      mismatches: match.mismatches.map {
        Mismatch(entity: $0.entity, kind: $0.kind, reasons: reasons[$0.entity] ?? [])
      })
  }

  private static func changes(
    from cached: NSManagedObjectModel, to model: NSManagedObjectModel
  ) -> [String: [String]] {
    let difference = ModelDifference(from: cached, to: model)
    var reasons: [String: [String]] = [:]
    for change in difference.changes where change.changesHash {
      reasons[change.path.entityName ?? "", default: []].append(change.sentence)
    }
    for entity in difference.entitiesChangedByReference {
      reasons[entity, default: []].append("what it inherits or refers to changed")
    }
    return reasons
  }
}
