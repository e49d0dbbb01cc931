import Foundation
import OrderedCollections
import Synchronization

/// A data model: entities, and what belongs to all of them.
///
/// ```swift
/// let model = NSManagedObjectModel()
/// model.entities = [person, company]
/// try model.validate()
/// print(model.versionChecksum)
/// ```
///
/// A model may be changed until a coordinator uses it; from then on every setter of the model and
/// its descriptions traps (``isEditable`` tells), and any number of threads may read it. Until then
/// it is as confined as any class instance. A copy is editable again.
open class NSManagedObjectModel: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  final var storedEntities: [NSEntityDescription] = []
  package final var storedConfigurations: OrderedDictionary<String, [NSEntityDescription]> = [:]
  package final var storedTemplates:
    OrderedDictionary<String, NSFetchRequest<NSFetchRequestResult>> = [:]
  final var storedVersionIdentifiers: OrderedSet<AnyHashable> = []
  final var storedLocalizationDictionary: [String: String]?
  /// The compiler's stamp read from a compiled model, or to be written into one.
  package final var compilerStamp: CompilerStamp?
  /// The vintage of the compiler that wrote the model, or as which it is to be written; nil when it
  /// isn't known.
  package final var compilerVintage: CompilerVintage?
  /// Whether every entity of a store's copy of the model lists indexes, be it none: so it is of a model
  /// that was read from a file of a vintage that has such lists.
  final var listsIndexesOfAllEntities = false
  /// What a decoder met and doesn't know, to be written back.
  package final var preserved: (any Sendable)?
  /// Where the model was read from, for messages; a path as a rule.
  package final var origin: String?
  final var isFrozen = false
  final let tables = Mutex<ModelTables?>(nil)
  /// What a module above keeps for a model in use (the layouts of its objects).
  package final let attachment = Mutex<(any Sendable)?>(nil)

  /// Makes a model without entities.
  public override init() {
    super.init()
  }

  /// The model's entities, in the order they were given: all of them, subentities too.
  ///
  /// An entity belongs to one model; setting one that belongs to another traps.
  public final var entities: [NSEntityDescription] {
    get { storedEntities }
    set {
      willChange("setEntities:")
      for entity in newValue {
        Misuse.require(
          entity.model == nil || entity.model === self,
          "-[NSManagedObjectModel setEntities:]: the entity '\(entity.name ?? "")' belongs to"
            + " another model; copy it first")
      }
      for entity in storedEntities { entity.model = nil }
      var seen = Set<ObjectIdentifier>(minimumCapacity: newValue.count)
      setEntitiesUnchecked(newValue.filter { seen.insert(ObjectIdentifier($0)).inserted })
      for (name, members) in storedConfigurations {
        storedConfigurations[name] = members.filter { seen.contains(ObjectIdentifier($0)) }
      }
    }
  }

  /// Names for the model's version, for people; nothing acts on them. Empty in a new model.
  public final var versionIdentifiers: Set<AnyHashable> {
    get { Set(storedVersionIdentifiers) }
    set {
      willChange("setVersionIdentifiers:")
      storedVersionIdentifiers = OrderedSet(newValue.sorted { "\($0)" < "\($1)" })
    }
  }

  /// Texts to show instead of the model's names, under the keys `Entity/E`, `Property/P/Entity/E`,
  /// `Property/P` and `ErrorString/S`.
  open var localizationDictionary: [String: String]? {
    get { storedLocalizationDictionary }
    set {
      willChange("setLocalizationDictionary:")
      storedLocalizationDictionary = newValue
    }
  }

  /// Whether the model may still be changed: whether no coordinator uses it.
  public final var isEditable: Bool { !isFrozen }

  /// Makes an editable copy of the whole graph: entities, properties, hierarchy, destinations,
  /// inverses, indexes, templates and configurations of the copy point at each other.
  open func copy(with zone: NSZone? = nil) -> Any { deepCopy() }

  /// Whether the other is a model with equal entities, configurations and fetch requests.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSManagedObjectModel).map { ModelComparison.difference(self, $0) == nil } ?? false
  }

  /// A line for people: how many entities there are.
  open override var description: String {
    "NSManagedObjectModel (\(storedEntities.count) entities)"
  }

  /// Equal models have equal hashes.
  open override var hash: Int { storedEntities.count }

  /// The same as ``copy(with:)``.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { deepCopy() }
}

extension NSManagedObjectModel {
  /// Makes the model and every description in it read-only: called by the coordinator that takes
  /// it.
  package final func freeze() {
    // Two coordinators may take the same model at the same time; the second finds it frozen.
    Self.freezing.withLock { _ in
      guard !isFrozen else { return }
      isFrozen = true
      tables.withLock { $0 = nil }
      for entity in storedEntities { entity.freeze() }
      for request in storedTemplates.values { request.freeze() }
    }
  }

  private static let freezing = Mutex<Void>(())

  /// Called by every setter before it changes anything.
  final func willChange(_ selector: StaticString) {
    if isFrozen { Freezing.trap("NSManagedObjectModel", selector) }
  }

  /// Sets the entities for a decoder; they must belong to no model and be different ones.
  package final func setEntitiesUnchecked(_ entities: [NSEntityDescription]) {
    storedEntities = entities
    for entity in entities { entity.model = self }
    StructureGeneration.tick()
  }
}

/// What a model looks up by name: made when first asked for, and kept.
struct ModelTables: Sendable {
  /// The ``StructureGeneration``'s time when the tables were made.
  var time: UInt64
  var entitiesByName: [String: NSEntityDescription]
}

extension NSManagedObjectModel {
  /// The model's entities by name; of two of one name the first. Entities without a name are left
  /// out.
  public final var entitiesByName: [String: NSEntityDescription] {
    let now = isFrozen ? 0 : StructureGeneration.now
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
