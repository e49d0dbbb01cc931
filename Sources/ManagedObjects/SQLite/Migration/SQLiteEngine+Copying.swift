import DataModels
import Foundation

/// Migration of a store to a new file.
extension SQLiteEngine {
  static func migrate(
    storeAt source: URL, of oldModel: NSManagedObjectModel, toStoreAt url: URL,
    of newModel: NSManagedObjectModel, options: [AnyHashable: Any]?, progress: Progress
  ) throws -> Bool {
    let files = ExternalData(store: source)
    let reader = RetiredFiles.Reader(of: files.folder)
    defer { withExtendedLifetime(reader) {} }
    let (from, metadata): (SQLiteConnection, [String: Any])
    do {
      from = try SQLiteConnection.following(source, waits: true)
      try from.execute("BEGIN")
      metadata = try from.readMetadata()
      let hashes = metadata[StoreMetadataKeys.hashes] as? [String: Any]
      guard hashes?.compactMapValues({ $0 as? Data }) == oldModel.entityVersionHashesByName else {
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleVersionHashError,
          "The model used to open the store is incompatible with the one used to create the store.",
          userInfo: [NSFilePathErrorKey: source.path, "metadata": metadata])
      }
    } catch {
      let error = (error as? SQLiteError)?.cocoaError(NSPersistentStoreOpenError) ?? error
      throw CoreDataError.make(
        NSMigrationManagerSourceStoreError,
        "The source store of the migration could not be opened: "
          + "\((error as NSError).localizedDescription)", userInfo: [NSUnderlyingErrorKey: error])
    }
    // A CloudKit mirror would miss the changes in a copy.
    guard try !from.isMirrored else { return false }
    do {
      let to = try SQLiteConnection(writing: url, creation: .ifMissing)
      _ = try to.replaceContents(with: from, progress: MigrationProgress(progress))
      try WorkingCopy.share(files, with: url)
      let migration = StoreMigration(
        url: url, connection: to, metadata: metadata, model: newModel,
        options: (options ?? [:]).merging([MomKitMigrationProgressOption: progress]) { $1 })
      _ = try migration.runInPlace(from: oldModel, keepsSafetyCopy: false)
    } catch let error as SQLiteError {
      throw MigrationError.database(error, isCancelled: progress.isCancelled)
    } catch let error as SchemaError {
      throw CoreDataError.make(NSPersistentStoreIncompatibleSchemaError, "\(error)")
    }
    return true
  }
}
