import Foundation
import Synchronization

extension NSEntityDescription {
  /// The entity's properties: its own in the order in which they were set, followed by inherited ones.
  ///
  /// Setting them replaces the entity's own properties. Inherited properties in the new list are ignored, so that
  /// `entity.properties += [property]` works as expected. Setting a property that belongs to another entity traps.
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

  /// The entity's own properties in the order in which they were set. A MomKit addition.
  public final var ownProperties: [NSPropertyDescription] { ownPropertyList }

  /// The entity's properties by name, including inherited ones; if names collide, the nearest property.
  public final var propertiesByName: [String: NSPropertyDescription] {
    table(\.propertiesByName) {
      Dictionary(
        allProperties().map { ($0.storedName, $0) }, uniquingKeysWith: { nearer, _ in nearer })
    }
  }

  /// The entity's attributes by name, including inherited ones.
  public final var attributesByName: [String: NSAttributeDescription] {
    table(\.attributesByName) {
      propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }
  }

  /// The entity's relationships by name, including inherited ones.
  public final var relationshipsByName: [String: NSRelationshipDescription] {
    table(\.relationshipsByName) {
      propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }
  }

  /// Returns the relationships whose destination is exactly the given entity, in the order of ``properties``.
  public final func relationships(
    forDestination entity: NSEntityDescription
  ) -> [NSRelationshipDescription] {
    properties.compactMap { $0 as? NSRelationshipDescription }.filter {
      $0.destinationEntity === entity
    }
  }

  /// The property with a name, own or inherited.
  final func property(named name: String) -> NSPropertyDescription? {
    propertiesByName[name]
  }

  /// Sets the entity's own properties for a decoder; they must not belong to an entity yet.
  package final func setOwnProperties(_ properties: [NSPropertyDescription]) {
    for property in ownPropertyList where property.owner === self { property.owner = nil }
    ownPropertyList = properties
    for property in properties { property.owner = self }
    StructureGeneration.tick()
  }

  /// Own properties, followed by those of each ancestor that aren't overridden.
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

  /// Returns one of the entity's lookup tables, from the cache or newly created.
  ///
  /// The lock is not held while a table is created, since creating one may require another. At worst, two threads
  /// create the same table.
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

/// An entity's lookup tables, created lazily and cached.
struct EntityTables: Sendable {
  /// The ``StructureGeneration`` time at which the tables were created.
  var time: UInt64
  var properties: [NSPropertyDescription]?
  var propertiesByName: [String: NSPropertyDescription]?
  var attributesByName: [String: NSAttributeDescription]?
  var relationshipsByName: [String: NSRelationshipDescription]?
  var subentitiesByName: [String: NSEntityDescription]?
  /// The version hash; cached only for frozen entities, since changing any setting may change it.
  var versionHash: Data?
}

/// Counts all changes of settings, in any model: what was recorded of a model holds as long as nothing was changed.
enum SettingGeneration {
  private static let time = Atomic<UInt64>(1)

  /// The current time.
  static var now: UInt64 { time.load(ordering: .relaxed) }

  /// Called before a setting changes.
  static func tick() { time.add(1, ordering: .relaxed) }
}

/// Counts all changes on which an entity's lookup tables may depend.
///
/// An entity's tables include its ancestors' properties. Notifying every descendant of a change would make building a
/// hierarchy quadratic. Instead, a table records the time at which it was created, and is recreated if the time has
/// advanced since. Frozen entities don't check the time: nothing that their tables depend on can change any more.
enum StructureGeneration {
  private static let time = Atomic<UInt64>(1)

  /// The current time.
  static var now: UInt64 { time.load(ordering: .relaxed) }

  /// Makes the tables of all editable entities stale.
  static func tick() { time.add(1, ordering: .relaxed) }
}
