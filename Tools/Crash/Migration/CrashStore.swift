import Foundation
import MomKit

/// The store to migrate: files in folders, with external data, an ordered relationship, tags and history.
struct CrashStore {
  let url: URL
  static let folderCount = 20
  static let filesInFolder = 100

  // MARK: Models

  /// Returns version 1 or 2 of the model. Version 2 adds an entity that changes the numbers of the others, an
  /// attribute with a default value, and an order; it renames one attribute and removes another.
  static func model(version: Int) -> NSManagedObjectModel {
    let (folder, file, tag) = (NSEntityDescription(), NSEntityDescription(), NSEntityDescription())
    (folder.name, file.name, tag.name) = ("Folder", "File", "Tag")
    let title = attribute(version == 1 ? "title" : "name", .stringAttributeType)
    title.renamingIdentifier = "title"
    let data = attribute("data", .binaryDataAttributeType)
    data.allowsExternalBinaryDataStorage = true
    let (files, parent) = pair("files", of: file, "folder", of: folder, isMany: false)
    files.isOrdered = version == 2
    let (tags, tagged) = pair("tags", of: tag, "files", of: file, isMany: true)
    folder.properties = [attribute("title", .stringAttributeType), files]
    file.properties = [title, data, attribute("size", .integer64AttributeType), parent, tags]
    tag.properties = [attribute("title", .stringAttributeType), tagged]
    var entities = [folder, file, tag]
    if version == 1 {
      file.properties.append(attribute("obsolete", .stringAttributeType))
    } else {
      let rating = attribute("rating", .integer16AttributeType)
      rating.isOptional = false
      rating.defaultValue = 3
      file.properties.append(rating)
      let account = NSEntityDescription()
      account.name = "Account"
      account.properties = [attribute("title", .stringAttributeType)]
      entities.append(account)
    }
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  private static func pair(
    _ name: String, of destination: NSEntityDescription, _ inverseName: String,
    of owner: NSEntityDescription, isMany: Bool
  ) -> (NSRelationshipDescription, NSRelationshipDescription) {
    let (one, other) = (NSRelationshipDescription(), NSRelationshipDescription())
    (one.name, other.name) = (name, inverseName)
    (one.destinationEntity, other.destinationEntity) = (destination, owner)
    (one.maxCount, other.maxCount) = (0, isMany ? 0 : 1)
    (one.isOptional, other.isOptional) = (true, true)
    (one.inverseRelationship, other.inverseRelationship) = (other, one)
    return (one, other)
  }

  // MARK: Making and migrating

  func make() throws {
    let context = try open(
      Self.model(version: 1), [NSPersistentHistoryTrackingKey: true])
    let tags = (0..<20).map { number in
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      tag["title"] = "tag \(number)"
      return tag
    }
    for number in 0..<Self.folderCount {
      let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
      folder["title"] = "folder \(number)"
      for index in 0..<Self.filesInFolder {
        let file = NSEntityDescription.insertNewObject(forEntityName: "File", into: context)
        file["title"] = "file \(number).\(index)"
        file["size"] = number * 1000 + index
        file["obsolete"] = "gone \(index)"
        file["folder"] = folder
        file.addObject(tags[index % 20], toRelationshipNamed: "tags")
        file.addObject(tags[(index + number) % 20], toRelationshipNamed: "tags")
        if index % 50 == 0 {
          file["data"] = Data(repeating: UInt8(number), count: 120_000 + index)
        }
      }
    }
    try context.save()
    try close(context)
  }

  func migrate(isStaged: Bool) throws {
    let new = Self.model(version: 2)
    var options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
    if isStaged {
      let old = Self.model(version: 1)
      let stage = NSCustomMigrationStage(
        migratingFrom: NSManagedObjectModelReference(
          model: old, versionChecksum: old.versionChecksum),
        to: NSManagedObjectModelReference(model: new, versionChecksum: new.versionChecksum))
      stage.didMigrateHandler = { manager, _ in
        guard let context = manager.container?.newBackgroundContext() else { return }
        try context.performAndWait {
          for file in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "File")) {
            file["rating"] = 4
          }
          try context.save()
        }
      }
      options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
    }
    try close(try open(new, options))
  }

  private func open(
    _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func close(_ context: NSManagedObjectContext) throws {
    for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
      try context.persistentStoreCoordinator?.remove(store)
    }
  }

  // MARK: Looking

  /// Checks the store's entire contents and returns its model version.
  ///
  /// - Throws: ``CrashFailure`` if anything differs from what was created.
  func checkedVersion(rating: Int) throws -> Int {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: url)
    let versions = (1...2).filter {
      let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
      return Self.model(version: $0).entityVersionHashesByName == hashes
    }
    guard let version = versions.first else { throw CrashFailure("the store has no known version") }
    let context = try open(Self.model(version: version))
    let folders = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Folder"))
    let files = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "File"))
    guard folders.count == Self.folderCount, files.count == Self.folderCount * Self.filesInFolder
    else { throw CrashFailure("\(folders.count) folders and \(files.count) files are left") }
    for file in files {
      let size = (file["size"] as? NSNumber)?.intValue ?? -1
      let (number, index) = (size / 1000, size % 1000)
      guard (file[version == 1 ? "title" : "name"] as? String) == "file \(number).\(index)",
        (file["folder"] as? NSManagedObject)?["title"] as? String == "folder \(number)",
        (file["tags"] as? NSSet)?.count == ((number % 20 == 0) ? 1 : 2)
      else { throw CrashFailure("file \(number).\(index) is not what it was") }
      if index % 50 == 0 {
        let data = file["data"] as? Data
        guard data == Data(repeating: UInt8(number), count: 120_000 + index) else {
          throw CrashFailure("file \(number).\(index) has lost its data")
        }
      }
      if version == 2, (file["rating"] as? NSNumber)?.intValue != rating {
        throw CrashFailure("file \(number).\(index) has no rating of \(rating)")
      }
    }
    try close(context)
    return version
  }

  /// Deletes all files of the store.
  func destroy() throws {
    try NSPersistentStoreCoordinator(managedObjectModel: Self.model(version: 1))
      .destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
    try? FileManager.default.removeItem(at: url)
  }
}
