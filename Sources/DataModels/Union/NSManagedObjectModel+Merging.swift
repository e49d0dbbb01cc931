import Foundation

extension NSManagedObjectModel {
  /// Merges the entities, configurations, fetch request templates and version identifiers of several models. A MomKit
  /// addition; ``init(byMerging:)`` is Core Data's variant.
  ///
  /// An entity or template that is equal in several models is merged into one. Relationships and requests are linked
  /// within the result, which is editable; the original models are unchanged.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel.merging([saved, additions])
  /// ```
  ///
  /// - Parameter models: The models; if there are none, the result is an empty model.
  /// - Throws: ``ModelError`` of code ``ModelError/Code/mergeConflict`` when two models have different entities or
  ///   templates with the same name. It names both models and the difference.
  public static func merging(_ models: [NSManagedObjectModel]) throws -> NSManagedObjectModel {
    let merged = NSManagedObjectModel()
    try merged.takeMerged(models)
    return merged
  }

  /// Merges several models, as in Core Data.
  ///
  /// Different entities with the same name are a programmer error and trap; ``merging(_:)`` throws instead.
  ///
  /// - Parameter models: The models; `nil` yields `nil`, and an empty array an empty model.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    guard let models else { return nil }
    self.init()
    do {
      try takeMerged(models)
    } catch {
      Misuse.trap("-[NSManagedObjectModel modelByMergingModels:]: \(error)")
    }
  }

  /// Creates the model with which a store was created, from those of the models whose entities the store has.
  ///
  /// If a single model has all of the store's entities, it is used alone, and of several such models the first: among
  /// several versions, only one may be right in what version hashes don't cover, such as class names. Otherwise the
  /// models that are needed are merged, preferring those with the most entities. How Core Data chooses is not known.
  ///
  /// - Parameters:
  ///   - models: The models to choose from.
  ///   - metadata: The store's metadata, with the key `NSStoreModelVersionHashes`.
  /// - Returns: `nil` unless the models have every entity of the store in the recorded version.
  public convenience init?(
    byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
  ) {
    guard let recorded = metadata["NSStoreModelVersionHashes"] as? [String: Data] else {
      return nil
    }
    let fitting = models.filter { model in
      model.entityVersionHashesByName.allSatisfy { recorded[$0.key] == $0.value }
    }
    self.init()
    let needed = Self.covering(Set(recorded.keys), by: fitting)
    guard !needed.isEmpty, (try? takeMerged(needed)) != nil,
      isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    else { return nil }
  }

  /// Finds a small set of models that together have all the entities, by a greedy search.
  private static func covering(
    _ names: Set<String>, by models: [NSManagedObjectModel]
  ) -> [NSManagedObjectModel] {
    let candidates = models.enumerated()
      .map { (place: $0, model: $1, names: Set($1.entityVersionHashesByName.keys)) }
      .sorted { ($1.names.count, $0.place) < ($0.names.count, $1.place) }
    var missing = names
    var taken: [(place: Int, model: NSManagedObjectModel)] = []
    for candidate in candidates {
      guard taken.isEmpty || !missing.isDisjoint(with: candidate.names) else { continue }
      missing.subtract(candidate.names)
      taken.append((candidate.place, candidate.model))
      if missing.isEmpty { break }
    }
    return taken.sorted { $0.place < $1.place }.map(\.model)
  }

  /// Fills an empty model.
  private func takeMerged(_ models: [NSManagedObjectModel]) throws {
    var merge = ModelUnion(into: self)
    for (place, model) in models.enumerated() {
      try merge.add(model, label: model.origin ?? "model \(place + 1)")
    }
    try merge.finish()
  }
}
