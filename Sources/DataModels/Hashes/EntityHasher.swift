import Foundation

/// Computes entities' version hashes, each once, without recursion.
///
/// An entity's hash includes the hash of every property, also inherited ones, sorted by name. A chain of n entities
/// with one property each therefore takes n² / 2 steps in any implementation; beyond a bound, the hasher throws an
/// error.
struct EntityHasher {
  /// A property with its hash; nil when the entity's hash doesn't include it.
  private struct Entry {
    let property: NSPropertyDescription
    let digest: SHA256.Digest?
  }

  /// The cached result for an entity that others may inherit from.
  private struct Known {
    let digest: SHA256.Digest
    let entries: [Entry]
    /// The nearest ancestor that has properties.
    let source: ObjectIdentifier?
  }

  /// The total number of properties that may be inherited. The bound allows for 10,000 entities that inherit 800
  /// properties each, and a few seconds of work.
  private let workLimit: Int
  private var known: [ObjectIdentifier: Known] = [:]
  private var work = 0

  init(workLimit: Int = 8_000_000) {
    self.workLimit = workLimit
  }

  /// Returns the version hash of an entity.
  ///
  /// - Throws: ``ModelError`` when the hierarchy is cyclic or too large.
  mutating func digest(of entity: NSEntityDescription) throws -> SHA256.Digest {
    if let known = known[ObjectIdentifier(entity)] { return known.digest }
    var pending = [entity]
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(entity)]
    var last = entity
    while let above = last.storedSuperentity, known[ObjectIdentifier(above)] == nil {
      guard seen.insert(ObjectIdentifier(above)).inserted else {
        throw ModelError(
          .hierarchyCycle,
          "the entity '\(above.name ?? "")' is its own ancestor; give it another"
            + " superentity, or none",
          entity: above.name)
      }
      pending.append(above)
      last = above
    }
    var result: SHA256.Digest?
    while let next = pending.popLast() { result = try add(next) }
    guard let result else { Misuse.trap("no entity was hashed") }
    return result
  }

  /// Hashes an entity whose superentity has been hashed.
  private mutating func add(_ entity: NSEntityDescription) throws -> SHA256.Digest {
    let parent = entity.storedSuperentity.map { ObjectIdentifier($0) }
    let parentKnown = parent.flatMap { known[$0] }
    let source =
      parentKnown.map { $0.entries.isEmpty } == true ? parentKnown?.source : parent
    let inherited = try inheritedEntries(from: source, by: entity)
    let own = entries(of: entity, below: inherited)

    var input = HashInput()
    input.append(entity.storedName ?? "")
    input.append(byte: entity.storedIsAbstract ? 1 : 0)
    if let parentKnown { input.append(parentKnown.digest) }
    for entry in Self.merged(own, inherited) {
      if let digest = entry.digest { input.append(digest) }
    }
    if let modifier = entity.versionHashModifier { input.append(modifier) }
    let constraints = entity.ownUniquenessConstraints.map { $0.joined(separator: ".") }
    for constraint in NameOrder.sorted(constraints) { input.append(constraint) }
    let digest = input.sha256
    known[ObjectIdentifier(entity)] = Known(
      digest: digest, entries: entity.storedSubentities.isEmpty ? [] : own, source: source)
    return digest
  }

  /// The properties of all ancestors, nearest entity first.
  private mutating func inheritedEntries(
    from source: ObjectIdentifier?, by entity: NSEntityDescription
  ) throws -> [Entry] {
    var inherited: [Entry] = []
    var next = source
    while let above = next.flatMap({ known[$0] }) {
      work += above.entries.count
      guard work <= workLimit else {
        throw ModelError(
          .hierarchyTooLarge,
          "the hierarchy above '\(entity.name ?? "")' is too deep for its number of properties:"
            + " more than \(workLimit) properties are inherited in all",
          entity: entity.name)
      }
      inherited += above.entries
      next = above.source
    }
    return inherited
  }

  /// An entity's own properties, hashed.
  private func entries(of entity: NSEntityDescription, below inherited: [Entry]) -> [Entry] {
    // If several ancestors have a property with the same name, the last is the topmost.
    var topmost: [String: NSPropertyDescription] = [:]
    if entity.ownPropertyList.contains(where: { $0 is NSRelationshipDescription }) {
      for entry in inherited { topmost[entry.property.storedName] = entry.property }
    }
    return entity.ownPropertyList.map { property in
      let digest =
        PropertyHash.isHashed(property)
        ? PropertyHash.digest(of: property, topmost: topmost[property.storedName]) : nil
      return Entry(property: property, digest: digest)
    }
  }

  /// Own and inherited properties sorted by name; if names collide, the nearest one.
  private static func merged(_ own: [Entry], _ inherited: [Entry]) -> [Entry] {
    var all = own
    if !inherited.isEmpty {
      var names = Set(own.map(\.property.storedName))
      for entry in inherited where names.insert(entry.property.storedName).inserted {
        all.append(entry)
      }
    }
    return all.sorted { NameOrder.precedes($0.property.storedName, $1.property.storedName) }
  }
}
