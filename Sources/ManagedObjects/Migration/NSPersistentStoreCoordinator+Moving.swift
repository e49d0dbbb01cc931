import DataModels
import Foundation

/// Moving and replacing stores.
extension NSPersistentStoreCoordinator {
  /// Moves an open store to another location or to another store type ("save as"): the new store replaces it in the
  /// coordinator.
  ///
  /// From SQLite to SQLite, everything is copied unchanged, including external files, and object IDs stay valid; the
  /// same holds for an XML or binary store moved to its own type. Between different types, and to or from memory, the
  /// objects are copied and get new IDs. The old store stays at its location.
  ///
  /// - Parameters:
  ///   - store: a store of the coordinator.
  ///   - URL: the new location, where nothing may exist yet.
  ///   - options: the options for opening the new store.
  ///   - storeType: the type of the new store.
  /// - Returns: the new store.
  @discardableResult
  public final func migratePersistentStore(
    _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    try locked {
      guard persistentStores.contains(where: { $0 === store }) else {
        throw CoreDataError.make(
          NSPersistentStoreOperationError, "The store isn't one of the coordinator's.")
      }
      guard store.url?.standardizedFileURL != URL.standardizedFileURL else {
        throw CoreDataError.make(
          NSPersistentStoreOperationError, "The store is at this place already.",
          [NSFilePathErrorKey: URL.path])
      }
      if let source = store.url, storeType == store.type, storeType != NSInMemoryStoreType,
        StoreTypes.registered(storeType) == nil, case .file = StoreLocation(source),
        !isInMemory(URL)
      {
        try refuseFile(at: URL)
        let type = try StoreTypes.require(storeType)
        do {
          try type.replace(at: URL, withStoreAt: source, options: options)
          let moved = try addPersistentStore(
            ofType: storeType, configurationName: store.configurationName, at: URL,
            options: options, reference: store.reference)
          move(moved, before: store)
          try remove(store)
          return moved
        } catch {
          if persistentStore(for: URL) == nil {
            discardPersistentStore(at: URL, ofType: storeType, options: options)
          }
          throw error
        }
      }
      return try copyObjects(of: store, to: URL, options: options, type: storeType)
    }
  }

  /// Moves an open store; see ``migratePersistentStore(_:to:options:withType:)``.
  @discardableResult
  public final func migratePersistentStore(
    _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
    type storeType: NSPersistentStore.StoreType
  ) throws -> NSPersistentStore {
    try migratePersistentStore(
      store, to: storeURL, options: options, withType: storeType.rawValue)
  }

  /// Replaces a store by a copy of another one, or creates the copy if there is no store: in one transaction,
  /// including external files, and respecting the locks of other connections.
  ///
  /// Other connections to the destination store can't save into it any more, unless the new store is the same one by
  /// its UUID. For `/dev/null`, whose stores are in memory, this is a no-op.
  public final func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    let place = try StoreLocation.check(destinationURL, NSPersistentStoreOperationError)
    if case .memory = place { return }
    try locked {
      try StoreTypes.require(storeType).replace(
        at: destinationURL, withStoreAt: sourceURL, options: destinationOptions)
    }
  }

  /// Replaces a store by a copy of another one; see
  /// ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
  public final func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    type sourceType: NSPersistentStore.StoreType
  ) throws {
    try replacePersistentStore(
      at: destinationURL, destinationOptions: destinationOptions,
      withPersistentStoreFrom: sourceURL, sourceOptions: sourceOptions,
      ofType: sourceType.rawValue)
  }

  /// Switches a store to another file with the same contents: the same UUID, and entities of the same version. Object
  /// IDs stay valid. An atomic store is entirely in memory: its next save writes it to the new location, replacing
  /// any file there.
  ///
  /// - Returns: whether the switch was made; if not, the store is unchanged. A store of a client-defined class only
  ///   has its URL set.
  @discardableResult
  public final func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    locked {
      guard persistentStores.contains(where: { $0 === store }) else { return false }
      guard StoreTypes.registered(store.type) == nil else {
        store.url = url
        return true
      }
      if let engine = (try? store.requireEngine()) as? any MovableEngine {
        guard url.isFileURL, (try? StoreLocation.check(url, NSPersistentStoreOperationError)) != nil
        else { return false }
        engine.move(to: url)
        store.url = url
        return true
      }
      guard store.type != NSInMemoryStoreType, case .file = StoreLocation(url),
        let type = try? StoreTypes.require(store.type),
        let metadata = try? type.metadata(at: url, options: nil),
        metadata[NSStoreUUIDKey] as? String == store.identifier,
        let engine = try? type.open(opening(store, at: url))
      else { return false }
      store.move(to: url, engine)
      return true
    }
  }

  private func opening(_ store: NSPersistentStore, at url: URL) -> StoreOpening {
    let name =
      store.configurationName == NSPersistentStore.defaultConfiguration
      ? nil : store.configurationName
    let entities = name.flatMap { managedObjectModel.entities(forConfigurationName: $0) }
    return StoreOpening(
      url: url, model: managedObjectModel, layouts: modelLayout, configuration: name,
      entityNames: entities.map { Set($0.compactMap(\.name)) }, options: store.options,
      reference: store.reference)
  }

  private func isInMemory(_ url: URL) -> Bool {
    if case .memory = StoreLocation(url) { true } else { false }
  }

  private func refuseFile(at url: URL) throws {
    guard !isInMemory(url), FileManager.default.fileExists(atPath: url.path) else { return }
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "There is a file at the new store's place already.",
      [NSFilePathErrorKey: url.path])
  }

  // MARK: Object by object

  private func copyObjects(
    of store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]?, type: String
  ) throws -> NSPersistentStore {
    if type != NSInMemoryStoreType { try refuseFile(at: url) }
    let target = try addPersistentStore(
      ofType: type, configurationName: store.configurationName, at: url, options: options)
    let engine = try store.requireEngine()
    let requiredFiles = engine.requiresExternalFiles
    engine.requiresExternalFiles = true
    defer { engine.requiresExternalFiles = requiredFiles }
    do {
      let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      context.persistentStoreCoordinator = self
      context.retainsRegisteredObjects = true
      var copies: [ObjectIdentifier: NSManagedObject] = [:]
      var originals: [NSManagedObject] = []
      for entity in managedObjectModel.entities where !entity.isAbstract {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        request.includesPendingChanges = false
        request.affectedStores = [store]
        for object in try context.fetch(request) {
          let copy = NSEntityDescription.insertNewObject(
            forEntityName: entity.name ?? "", into: context)
          context.assign(copy, to: target)
          object.wake()
          for property in object.layout.values where property.kind != .toOne {
            copy.setAttribute(object.values[property.slot], at: property.slot)
          }
          copies[ObjectIdentifier(object)] = copy
          originals.append(object)
        }
      }
      for object in originals {
        guard let copy = copies[ObjectIdentifier(object)] else { continue }
        for property in object.layout.toOnes {
          let other = object.toOne(property).flatMap { copies[ObjectIdentifier($0)] }
          copy.setToOne(other, property)
        }
        for property in object.layout.toManys {
          copy.setMembers(
            object.loadedMembers(property).objects.compactMap { copies[ObjectIdentifier($0)] },
            property)
        }
      }
      // The program's own metadata; other entries belong to the individual store.
      for (key, value) in store.metadata ?? [:]
      where !key.hasPrefix("NS") && !key.hasPrefix("_NS") { target.metadata[key] = value }
      try context.save()
      move(target, before: store)
      try remove(store)
      return target
    } catch {
      try? remove(target)
      discardPersistentStore(at: url, ofType: type, options: options)
      throw error
    }
  }
}
