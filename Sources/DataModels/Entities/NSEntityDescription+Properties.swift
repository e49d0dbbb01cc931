import Foundation
import Synchronization

extension NSEntityDescription {
  /// The entity's properties: its own in the order they were given, then those it inherits.
  ///
  /// Setting them replaces the entity's own. Inherited ones among the new are left out, so that
  /// `entity.properties += [property]` does what it seems to. A property that belongs to another
  /// entity can't be set: that traps.
  public final var properties: [NSPropertyDescription] {
    get {
      storedSuperentity == nil ? ownPropertyList : table(\.properties, make: allProperties)
    }
    set {
      willChange("setProperties:")
      let above = Set(ancestry.dropFirst().map(ObjectIdentifier.init))
      var seen = Set<ObjectIdentifier>()
      var own: [NSPropertyDescription] = []
      for property in newValue {
        if let owner = property.owner, owner !== self {
          Misuse.require(
            above.contains(ObjectIdentifier(owner)),
            "-[NSEntityDescription setProperties:]: '\(property.name)' belongs to the entity"
              + " '\(owner.name ?? "")'; copy it first")
        } else if seen.insert(ObjectIdentifier(property)).inserted {
          own.append(property)
        }
      }
      setOwnProperties(own)
    }
  }

  /// The entity's own properties in the order they were given. MomKit's own addition.
  public final var ownProperties: [NSPropertyDescription] { ownPropertyList }

  /// The entity's properties by name, inherited ones included; of two of one name the nearer.
  public final var propertiesByName: [String: NSPropertyDescription] {
    table(\.propertiesByName) {
      Dictionary(
        allProperties().map { ($0.storedName, $0) }, uniquingKeysWith: { nearer, _ in nearer })
    }
  }

  /// The entity's attributes by name, inherited ones included.
  public final var attributesByName: [String: NSAttributeDescription] {
    table(\.attributesByName) {
      propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }
  }

  /// The entity's relationships by name, inherited ones included.
  public final var relationshipsByName: [String: NSRelationshipDescription] {
    table(\.relationshipsByName) {
      propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }
  }

  /// The relationships that lead to exactly this entity, in the order of ``properties``.
  public final func relationships(
    forDestination entity: NSEntityDescription
  ) -> [NSRelationshipDescription] {
    properties.compactMap { $0 as? NSRelationshipDescription }.filter {
      $0.destinationEntity === entity
    }
  }

  /// The property of this name, own or inherited.
  final func property(named name: String) -> NSPropertyDescription? {
    propertiesByName[name]
  }

  /// Sets the entity's own properties for a decoder; they must belong to no entity.
  package final func setOwnProperties(_ properties: [NSPropertyDescription]) {
    for property in ownPropertyList where property.owner === self { property.owner = nil }
    ownPropertyList = properties
    for property in properties { property.owner = self }
    StructureGeneration.tick()
  }

  /// Own properties, then each ancestor's that no nearer one hides.
  private func allProperties() -> [NSPropertyDescription] {
    guard storedSuperentity != nil else { return ownPropertyList }
    var names = Set<String>()
    var all: [NSPropertyDescription] = []
    for entity in ancestry {
      let first = all.count
      for property in entity.ownPropertyList where !names.contains(property.storedName) {
        all.append(property)
      }
      for property in all[first...] { names.insert(property.storedName) }
    }
    return all
  }

  /// A table of the entity's, from the cache or made now.
  ///
  /// The lock is not held while a table is made, since making one may need another; at worst two
  /// threads make the same table.
  final func table<Table: Sendable>(
    _ path: WritableKeyPath<EntityTables, Table?> & Sendable, make: () -> Table
  ) -> Table {
    let now = isFrozen ? 0 : StructureGeneration.now
    let known = tables.withLock { tables in
      tables.flatMap { $0.time == now ? $0[keyPath: path] : nil }
    }
    if let known { return known }
    let made = make()
    tables.withLock { tables in
      var current = tables.flatMap { $0.time == now ? $0 : nil } ?? EntityTables(time: now)
      current[keyPath: path] = made
      tables = current
    }
    return made
  }
}

/// What an entity looks up by name: made when first asked for, and kept.
struct EntityTables: Sendable {
  /// The ``StructureGeneration``'s time when the tables were made.
  var time: UInt64
  var properties: [NSPropertyDescription]?
  var propertiesByName: [String: NSPropertyDescription]?
  var attributesByName: [String: NSAttributeDescription]?
  var relationshipsByName: [String: NSRelationshipDescription]?
  var subentitiesByName: [String: NSEntityDescription]?
  /// The version hash; of frozen entities only, since any setting may change it.
  var versionHash: Data?
}

/// Counts every change that any lookup table of an entity may depend on.
///
/// An entity's tables take in its ancestors' properties. Telling each descendant of a change would
/// make building a hierarchy quadratic; instead a table remembers the time it was made at, and is
/// made again when the clock has moved. A frozen entity doesn't look at the clock: nothing that its
/// tables are made of can change any more.
enum StructureGeneration {
  private static let time = Atomic<UInt64>(1)

  /// The present time.
  static var now: UInt64 { time.load(ordering: .relaxed) }

  /// Makes every table of an editable entity stale.
  static func tick() { time.add(1, ordering: .relaxed) }
}
