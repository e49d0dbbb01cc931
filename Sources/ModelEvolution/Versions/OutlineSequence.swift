import DataModels
import Foundation

/// The outlines and version hashes of consecutive models. What two neighbors have in common is read and hashed once,
/// and shared: most of a model is the same as in the previous version.
struct OutlineSequence: Sendable {
  /// The models' outlines.
  let outlines: [ModelOutline]
  /// The models' version hashes, by entity.
  let hashes: [[String: Data]]
  /// The entities that are the same as in the previous model, with everything in them; empty for the first.
  let unchanged: [Set<String>]

  /// Reads models concurrently. A model that occurs twice is read once.
  init(_ models: [NSManagedObjectModel]) {
    var places: [ObjectIdentifier: Int] = [:]
    var distinct: [NSManagedObjectModel] = []
    for model in models where places[ObjectIdentifier(model)] == nil {
      places[ObjectIdentifier(model)] = distinct.count
      distinct.append(model)
    }
    let readings = Self.read(distinct)
    let order = models.compactMap { places[ObjectIdentifier($0)] }
    outlines = order.map { readings[$0].outline }
    hashes = order.map { readings[$0].hashes }
    unchanged = order.indices.map { index in
      guard index > 0 else { return [] }
      let (last, this) = (readings[order[index - 1]], readings[order[index]])
      return this.predecessor == order[index - 1]
        ? this.unchanged : Self.unchanged(from: last.outline, to: this.outline)
    }
  }

  /// Reads models in as many consecutive parts as there are processors, each after the first model.
  private static func read(_ models: [NSManagedObjectModel]) -> [Reading] {
    guard let first = models.first else { return [] }
    let base = Reading(first)
    let baseEntities = Self.entities(of: first)
    let count = models.count - 1
    let stretches = max(1, min(count, ProcessInfo.processInfo.activeProcessorCount))
    let rest = (0..<stretches).map { place in
      (count * place / stretches + 1)..<(count * (place + 1) / stretches + 1)
    }.concurrentMap { stretch in
      var readings: [Reading] = []
      var entities = baseEntities
      for place in stretch {
        readings.append(
          Reading(
            models[place], after: readings.last ?? base, with: entities,
            at: readings.isEmpty ? 0 : place - 1))
        entities = Self.entities(of: models[place])
      }
      return readings
    }
    return [base] + rest.flatMap { $0 }
  }

  private static func entities(of model: NSManagedObjectModel) -> [String: NSEntityDescription] {
    Dictionary(model.entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the entities that are the same in two outlines.
  private static func unchanged(from old: ModelOutline, to new: ModelOutline) -> Set<String> {
    var unchanged: Set<String> = []
    for path in new.paths {
      if case .entity(let name) = path, old[path] != nil { unchanged.insert(name) }
    }
    for (path, element) in new.elements where old[path] != element {
      if let name = path.entityName { unchanged.remove(name) }
    }
    for path in old.paths where new[path] == nil {
      if let name = path.entityName { unchanged.remove(name) }
    }
    return unchanged
  }

  /// Returns the elements of the model at index `place`, in order, except those in entities that have the same
  /// contents and hash in the model at index `changed` and its predecessor.
  func paths(of place: Int, changedIn changed: Int) -> [ModelPath] {
    guard changed > 0 else { return Array(outlines[place].paths) }
    var settled = unchanged[changed]
    for name in unchanged[changed] where hashes[changed][name] != hashes[changed - 1][name] {
      settled.remove(name)
    }
    return outlines[place].elements.paths(outside: settled)
  }

  /// Returns the properties of each entity of each model, own and inherited.
  func visibleProperties() -> [VisibleProperties] {
    var all: [VisibleProperties] = []
    for (outline, unchanged) in zip(outlines, unchanged) {
      all.append(VisibleProperties(of: outline, like: all.last, unchanged: unchanged))
    }
    return all
  }
}

/// A model that was read after another.
private struct Reading: Sendable {
  let outline: ModelOutline
  let hashes: [String: Data]
  /// The index of the model that preceded it.
  let predecessor: Int?
  /// The entities that are the same in that model.
  let unchanged: Set<String>

  init(_ model: NSManagedObjectModel) {
    outline = ModelOutline(of: model)
    hashes = model.entityVersionHashesByName
    (predecessor, unchanged) = (nil, [])
  }

  init(
    _ model: NSManagedObjectModel, after last: Reading,
    with entities: [String: NSEntityDescription], at predecessor: Int
  ) {
    let (outline, likeness) = ModelOutline.sharing(model, with: last.outline, entities: entities)
    self.outline = outline
    self.predecessor = predecessor
    unchanged = likeness.same
    // A hash also covers inherited properties.
    var known: [String: Data] = [:]
    known.reserveCapacity(likeness.plain.count)
    for name in likeness.plain
    where entities[name]?.superentity == nil
      || outline.lineage(of: name).allSatisfy(likeness.plain.contains)
    {
      known[name] = last.hashes[name]
    }
    hashes = model.entityVersionHashes(knowing: known)
  }
}
