import DataModels
import Foundation

/// The place of the destination store.
extension NSMigrationManager {
  /// Whether there is a destination store already, which the objects are added to.
  ///
  /// - Throws: ``NSMigrationManagerDestinationStoreError`` if there is something else, or no folder for a new store.
  final func hasDestination(
    at url: URL, ofType type: String, options: [AnyHashable: Any]?, from source: URL
  ) throws -> Bool {
    guard url.isFileURL else {
      // Only its type knows what is there, and not every type records a model's version.
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: type, at: url, options: options)
      guard let metadata, metadata[StoreMetadataKeys.hashes] != nil else { return false }
      try requireVersion(metadata, at: url)
      return true
    }
    switch StoreLocation(url) {
    case .empty:
      let folder = url.deletingLastPathComponent().path
      guard FileManager.default.fileExists(atPath: folder) else {
        throw refusal("The folder of the destination store's URL doesn't exist.", at: url)
      }
      return false
    case .memory, .unsuitable:
      throw refusal("The destination store's URL isn't that of a file.", at: url)
    case .file where StoreLocation.isEmptyFile(url): return false
    case .file: break
    }
    guard !StoreLocation.isSame(url, source) else {
      throw refusal("The destination store is the source store.", at: url)
    }
    let metadata: [String: Any]
    do {
      metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: type, at: url, options: options)
    } catch {
      throw refusal(
        "The file at the destination store's URL isn't a store of the type '\(type)'.", at: url,
        cause: error)
    }
    try requireVersion(metadata, at: url)
    return true
  }

  private final func requireVersion(_ metadata: [String: Any], at url: URL) throws {
    guard
      destinationModel.isConfiguration(
        withName: configurationName, compatibleWithStoreMetadata: metadata)
    else {
      throw refusal(
        "The store at the destination store's URL isn't one of the destination model.", at: url)
    }
  }

  private final func refusal(
    _ why: String, at url: URL, cause: (any Error)? = nil
  ) -> NSError {
    var info: [String: Any] = [NSFilePathErrorKey: url.path]
    info[NSUnderlyingErrorKey] = cause
    return CoreDataError.make(NSMigrationManagerDestinationStoreError, why, userInfo: info)
  }
}
