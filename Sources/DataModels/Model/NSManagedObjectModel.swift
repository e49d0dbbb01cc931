import Foundation
import OrderedCollections
import Synchronization

/// A data model: entities, and the settings that apply to all of them.
///
/// ```swift
/// let model = NSManagedObjectModel()
/// model.entities = [person, company]
/// try model.validate()
/// print(model.versionChecksum)
/// ```
///
/// A model can be modified until a coordinator uses it. From then on, every setter of the model and its descriptions
/// traps (see ``isEditable``), and any number of threads may read it. Until then it is confined to one thread at a
/// time, like any class instance. A copy is editable again.
open class NSManagedObjectModel: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
  final var storedEntities: [NSEntityDescription] = []
  package final var storedConfigurations: OrderedDictionary<String, [NSEntityDescription]> = [:]
  package final var storedTemplates:
    OrderedDictionary<String, NSFetchRequest<NSFetchRequestResult>> = [:]
  final var storedVersionIdentifiers: OrderedSet<AnyHashable> = []
  final var storedLocalizationDictionary: [String: String]?
  /// The compiler stamp that was read from a compiled model, or is to be written to one.
  package final var compilerStamp: CompilerStamp?
  /// The vintage of the compiler that wrote the model, or in which it is to be written; nil when it isn't known.
  package final var compilerVintage: CompilerVintage?
  /// Whether a store's copy of the model has a list of indexes for every entity, even if it is empty. This is the case
  /// if the model was read from a file of a vintage that has such lists.
  final var listsIndexesOfAllEntities = false
  /// Unknown content found by a decoder, to be written back.
  package final var preserved: (any Sendable)?
  /// The origin of the model, for messages; usually a path.
  package final var origin: String?
  final var isFrozen = false
  /// The version hashes that were recorded beside the model's file.
  final var recording: HashRecording?
  final let tables = Mutex<ModelTables?>(nil)
  /// Data attached by a higher module to a model in use, such as object layouts.
  package final let attachment = Mutex<(any Sendable)?>(nil)

  /// Creates a model without entities.
  public override init() {
    super.init()
  }

  /// All entities of the model, including subentities, in the order in which they were set.
  ///
  /// An entity belongs to one model; setting an entity of another model traps.
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

  /// Names for the model's version, for informational purposes only. Empty in a new model.
  public final var versionIdentifiers: Set<AnyHashable> {
    get { Set(storedVersionIdentifiers) }
    set {
      willChange("setVersionIdentifiers:")
      storedVersionIdentifiers = OrderedSet(newValue.sorted { "\($0)" < "\($1)" })
    }
  }

  /// Localized strings for the model's names, under the keys `Entity/E`, `Property/P/Entity/E`, `Property/P` and
  /// `ErrorString/S`.
  open var localizationDictionary: [String: String]? {
    get { storedLocalizationDictionary }
    set {
      willChange("setLocalizationDictionary:")
      storedLocalizationDictionary = newValue
    }
  }

  /// Whether the model may still be modified, because no coordinator uses it.
  public final var isEditable: Bool { !isFrozen }

  /// Creates an editable copy of the whole graph: entities, properties, hierarchy, destinations, inverses, indexes,
  /// templates and configurations of the copy refer to each other.
  open func copy(with zone: NSZone? = nil) -> Any { deepCopy() }

  /// Whether the other object is a model with equal entities, configurations and fetch requests.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSManagedObjectModel).map { ModelComparison.difference(self, $0) == nil } ?? false
  }

  /// A textual description: the number of entities.
  open override var description: String {
    "NSManagedObjectModel (\(storedEntities.count) entities)"
  }

  /// A hash that is equal for equal models.
  open override var hash: Int { storedEntities.count }

  /// The same as ``copy(with:)``.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { deepCopy() }
}

extension NSManagedObjectModel {
  /// Makes the model and all its descriptions read-only. Called by the coordinator that uses it.
  package final func freeze() {
    // Two coordinators may freeze the same model concurrently; the second finds it frozen.
    Self.freezing.withLock { _ in
      guard !isFrozen else { return }
      if recording?.isCurrent == false { recording = nil }
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
    SettingGeneration.tick()
  }

  /// Sets the entities for a decoder; they must be distinct, and must not belong to a model yet.
  package final func setEntitiesUnchecked(_ entities: [NSEntityDescription]) {
    storedEntities = entities
    for entity in entities { entity.model = self }
    StructureGeneration.tick()
  }
}

/// A model's lookup tables, created lazily and cached.
struct ModelTables: Sendable {
  /// The ``StructureGeneration`` time at which the tables were created.
  var time: UInt64
  var entitiesByName: [String: NSEntityDescription]
}

extension NSManagedObjectModel {
  /// The model's entities by name; if names collide, the first. Entities without a name are omitted.
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

  /// The entity with a name.
  package final func entity(named name: String) -> NSEntityDescription? {
    entitiesByName[name]
  }
}
