import DataModels
import Foundation

/// Which of several models a store was made with, by the hashes in its metadata; if none, which is
/// nearest and why it isn't the one.
///
/// ```swift
/// let identification = StoreIdentification(
///   entityHashes: metadata.entityHashes, cachedModel: nil, candidates: bundle)
/// print(identification.exact.first ?? identification.nearest?.name ?? "unknown")
/// ```
public struct StoreIdentification: Sendable {
  /// An entity that stands against a model's being the one.
  public struct Mismatch: Hashable, Sendable {
    /// How the entity doesn't fit.
    public enum Kind: String, Hashable, Sendable {
      /// The store has it, the model doesn't.
      case onlyInStore = "only-in-store"
      /// The model has it, the store doesn't.
      case onlyInModel = "only-in-model"
      /// Both have it, with different hashes.
      case differs
    }

    /// The entity's name.
    public let entity: String
    /// How it doesn't fit.
    public let kind: Kind
    /// What differs, a sentence each; empty when the hashes alone don't tell.
    public let reasons: [String]
  }

  /// How far a model fits.
  public struct Match: Hashable, Sendable {
    /// The model's name.
    public let name: String
    /// How many entities have the store's hash.
    public let equalCount: Int
    /// Those that don't, by name; empty when the store was made with the model.
    public let mismatches: [Mismatch]
  }

  /// All models, the nearest first; reasons are given for the first only.
  public let ranking: [Match]

  /// The models that the store fits exactly.
  public var exact: [String] { ranking.filter(\.mismatches.isEmpty).map(\.name) }
  /// The model with the fewest mismatches; nil when there are no models.
  public var nearest: Match? { ranking.first }

  /// Compares a store's hashes with models.
  ///
  /// - Parameters:
  ///   - entityHashes: the hash of each entity, from the store's metadata.
  ///   - cachedModel: the model that the store keeps a copy of; with it the reasons are exact.
  ///   - candidates: the models by name.
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
