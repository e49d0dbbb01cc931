import Foundation

extension NSManagedObjectModel {
  /// One model of the entities, configurations, fetch request templates and version identifiers of
  /// several. MomKit's own addition; ``init(byMerging:)`` is Core Data's spelling.
  ///
  /// An entity or template that several models have in the same way is taken once. Relationships
  /// and requests are linked within the result, which is editable; the models stay as they are.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel.merging([saved, additions])
  /// ```
  ///
  /// - Parameter models: The models; none give an empty model.
  /// - Throws: ``ModelError`` of code ``ModelError/Code/mergeConflict`` when two models have
  ///   different entities or templates of one name. It names both models and what differs.
  public static func merging(_ models: [NSManagedObjectModel]) throws -> NSManagedObjectModel {
    let merged = NSManagedObjectModel()
    try merged.takeMerged(models)
    return merged
  }

  /// Makes one model of several, as Core Data does.
  ///
  /// Different entities of one name are a programmer's error and trap; ``merging(_:)`` throws.
  ///
  /// - Parameter models: The models; `nil` gives `nil`, no models an empty model.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    guard let models else { return nil }
    self.init()
    do {
      try takeMerged(models)
    } catch {
      Misuse.trap("-[NSManagedObjectModel modelByMergingModels:]: \(error)")
    }
  }

  /// Makes the model that a store was made with, out of those models whose entities the store has.
  ///
  /// A model that has all of them alone is enough, and the first such one is taken: of several versions
  /// only one may fit in what version hashes don't tell, such as class names. Else the models are merged
  /// that are needed, those with the most entities first. How Core Data chooses is not known.
  ///
  /// - Parameters:
  ///   - models: The models to choose from.
  ///   - metadata: The store's metadata, with the key `NSStoreModelVersionHashes`.
  /// - Returns: `nil` when the models don't have every entity of the store in the version recorded.
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

  /// The models that together have all these entities, as few as going by size finds.
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
