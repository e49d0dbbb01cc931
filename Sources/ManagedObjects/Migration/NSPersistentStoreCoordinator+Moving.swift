import DataModels
import Foundation

/// Moving and replacing stores.
extension NSPersistentStoreCoordinator {
  /// The implementation of ``migratePersistentStore(_:to:options:withType:)``.
  final func moveStore(
    _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]?,
    withType storeType: String
  ) throws -> NSPersistentStore {
    // While it still has its objects; a move that is going to be refused is none.
    if persistentStores.contains(where: { $0 === store }),
      storeType == NSInMemoryStoreType || StoreLocation.isFree(URL)
    {
      NotificationCenter.default.post(
        name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    }
    let notices = PostponedNotices()
    defer { notices.post() }
    return try locked {
      guard persistentStores.contains(where: { $0 === store }) else {
        throw CoreDataError.make(
          NSPersistentStoreOperationError, "The store isn't one of the coordinator's.")
      }
      guard store.url?.standardizedFileURL != URL.standardizedFileURL else {
        throw CoreDataError.make(
          NSPersistentStoreOperationError, "The store is already at this URL.",
          userInfo: [NSFilePathErrorKey: URL.path])
      }
      if storeType == store.type, storeType != NSInMemoryStoreType,
        StoreTypes.registered(storeType) == nil, !StoreLocation.isInMemory(URL),
        let copy = try copying(store, options: options)
      {
        try refuseFile(at: URL)
        do {
          try copy(URL)
          let moved = try addPersistentStore(
            ofType: storeType, configurationName: store.configurationName, at: URL,
            options: options, reference: store.reference, notices: notices)
          carryVersions(of: store, to: moved)
          carryMetadata(store.metadata ?? [:], to: moved)
          move(moved, before: store)
          discard(store, notices: notices)
          return moved
        } catch {
          if persistentStore(for: URL) == nil {
            discardPersistentStore(at: URL, ofType: storeType, options: options)
          }
          throw error
        }
      }
      return try copyObjects(
        of: store, to: URL, options: options, type: storeType, notices: notices)
    }
  }

  /// What copies a store to another file as it is; nil if it has no file.
  private func copying(
    _ store: NSPersistentStore, options: [AnyHashable: Any]?
  ) throws -> ((URL) throws -> Void)? {
    // After `setURL(_:for:)`, a file at the store's URL is what the next save replaces.
    if let engine = try store.requireEngine() as? any MovableEngine, engine.isUnwritten {
      return engine.write
    }
    guard let source = store.url, case .file = StoreLocation(source) else { return nil }
    let type = try StoreTypes.require(store.type)
    let own = (store.options ?? [:]).filter {
      $0.key as? String == NSPersistentStoreTimeoutOption
    }
    let options = own.merging(options ?? [:]) { $1 }
    return { url in
      try self.sharingFiles(of: [store]) {
        try type.replace(at: url, withStoreAt: source, options: options)
      }
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

  /// The implementation of ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
  final func replaceStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]?, with sourceURL: URL,
    ofType storeType: String
  ) throws {
    let place = try StoreLocation.check(destinationURL, NSPersistentStoreOperationError)
    if case .memory = place {
      guard StoreLocation.sharedName(of: destinationURL) != nil else { return }
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "A store in memory that others may have open isn't replaced; copy the objects instead.",
        userInfo: [NSFilePathErrorKey: destinationURL.path])
    }
    try locked {
      let type = try StoreTypes.require(storeType)
      try sharingFiles(of: [sourceURL, destinationURL].compactMap { persistentStore(for: $0) }) {
        try type.replace(at: destinationURL, withStoreAt: sourceURL, options: destinationOptions)
      }
    }
    if let store = persistentStore(for: destinationURL) { try remove(store) }
  }

  /// Lets the files of stores be opened while `body` runs, whose engines may have them for themselves.
  private func sharingFiles<Result>(
    of stores: [NSPersistentStore], _ body: () throws -> Result
  ) throws -> Result {
    guard let store = stores.first else { return try body() }
    func others() throws -> Result { try sharingFiles(of: Array(stores.dropFirst()), body) }
    guard let engine = try? store.requireEngine() as? SQLiteEngine else { return try others() }
    return try engine.sharingFile(others)
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

  /// The implementation of ``setURL(_:for:)``.
  final func relocate(_ store: NSPersistentStore, to url: URL) -> Bool {
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
      guard store.type != NSInMemoryStoreType, case .file = StoreLocation(url) else { return false }
      // The file may be the store's own, which was moved.
      let engine = try? sharingFiles(of: [store]) { () throws -> (any StoreEngine)? in
        let type = try StoreTypes.require(store.type)
        let metadata = try type.metadata(at: url, options: store.options)
        guard metadata[NSStoreUUIDKey] as? String == store.identifier else { return nil }
        return try type.open(opening(store, at: url))
      }
      guard let engine else { return false }
      let given = store.metadata ?? [:]
      store.move(to: url, engine)
      carryMetadata(given, to: store)
      // The former engine watched the former file.
      store.startWatching()
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

  private func refuseFile(at url: URL) throws {
    guard !StoreLocation.isFree(url) else { return }
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "A file already exists at the new store's URL.",
      userInfo: [NSFilePathErrorKey: url.path])
  }

  /// Gives a store what the program has set in another's metadata, saved or not; other entries belong to the individual
  /// store. The next save writes it.
  private func carryMetadata(_ given: [String: Any], to target: NSPersistentStore) {
    func isOwn(_ key: String) -> Bool { !key.hasPrefix("NS") && !key.hasPrefix("_NS") }
    let present = target.metadata ?? [:]
    let own = given.filter { isOwn($0.key) }
    guard
      NSDictionary(dictionary: own) != NSDictionary(dictionary: present.filter { isOwn($0.key) })
    else { return }
    target.metadata = present.filter { !isOwn($0.key) }.merging(own) { $1 }
  }

  /// Gives a store's rows the versions that they have in the store which it replaces, and by which contexts know them.
  private func carryVersions(of store: NSPersistentStore, to target: NSPersistentStore) {
    guard let engine = (try? target.requireEngine()) as? any MovableEngine,
      let former = try? store.requireEngine()
    else { return }
    engine.takeRowVersions(of: former)
  }

  // MARK: Object by object

  private func copyObjects(
    of store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]?, type: String,
    notices: PostponedNotices
  ) throws -> NSPersistentStore {
    if type != NSInMemoryStoreType { try refuseFile(at: url) }
    let target = try addPersistentStore(
      ofType: type, configurationName: store.configurationName, at: url, options: options,
      replacing: StoreTypes.registered(type) == nil ? nil : store, notices: notices)
    let engine = try store.requireEngine()
    let requiredFiles = engine.requiresExternalFiles
    engine.requiresExternalFiles = true
    defer { engine.requiresExternalFiles = requiredFiles }
    do {
      let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      context.persistentStoreCoordinator = self
      context.retainsRegisteredObjects = true
      // What the program's classes do when objects are inserted, validated and saved isn't part of a copy.
      context.makesPlainObjects = true
      var copies: [ObjectIdentifier: NSManagedObject] = [:]
      var originals: [NSManagedObject] = []
      // Of abstract entities too: nothing keeps a program from making objects of them.
      for entity in managedObjectModel.entities {
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
      let made = originals.compactMap { copies[ObjectIdentifier($0)] }
      if type == NSSQLiteStoreType { try NSMigrationManager.checkOwners(among: made) }
      carryMetadata(store.metadata ?? [:], to: target)
      try context.save()
      move(target, before: store)
      let ids = made.map(\.objectID)
      discard(
        store, [NSUUIDChangedPersistentStoresKey: [store, target, ids] as [Any]],
        notices: notices)
      return target
    } catch {
      discard(target, notices: notices)
      discardPersistentStore(at: url, ofType: type, options: options)
      throw error
    }
  }
}
