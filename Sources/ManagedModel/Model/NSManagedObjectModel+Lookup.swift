import Foundation

/// What a model looks up by name: made when first asked for, and kept.
struct ModelTables: Sendable {
  /// The ``StructureClock``'s time when the tables were made.
  var time: UInt64
  var entitiesByName: [String: NSEntityDescription]
}

extension NSManagedObjectModel {
  /// The model's entities by name; of two of one name the first. Entities without a name are left
  /// out.
  public final var entitiesByName: [String: NSEntityDescription] {
    let now = isFrozen ? 0 : StructureClock.now
    let known = tables.withLock { tables in tables.flatMap { $0.time == now ? $0 : nil } }
    if let known { return known.entitiesByName }
    var made: [String: NSEntityDescription] = [:]
    made.reserveCapacity(storedEntities.count)
    for entity in storedEntities {
      guard let name = entity.name, made[name] == nil else { continue }
      made[name] = entity
    }
    let table = ModelTables(time: now, entitiesByName: made)
    tables.withLock { $0 = table }
    return made
  }

  /// The entity of this name.
  package final func entity(named name: String) -> NSEntityDescription? {
    entitiesByName[name]
  }
}
