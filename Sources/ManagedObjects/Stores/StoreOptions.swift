import Foundation
import PredicateFormat

/// A store in a SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// A store in memory, whose contents live as long as its coordinator.
public let NSInMemoryStoreType = "InMemory"
/// A store in a binary file, which is read as a whole when it is opened and written as a whole with every save.
///
/// The format is MomKit's own, because no file in Apple's format was available: neither framework can read the
/// other's files. Within MomKit, and for tests, the type behaves as on Apple's systems: its saves are atomic, and
/// ``NSPersistentStoreCoordinator/migratePersistentStore(_:to:options:withType:)`` can move it to a store of any
/// other type.
///
/// The notes on atomic stores at ``NSXMLStoreType`` apply as well.
public let NSBinaryStoreType = "Binary"
/// A store in an XML file in Core Data's format, which is read as a whole when it is opened and written as a whole
/// with every save.
///
/// On Apple's systems only macOS has this type. Files written by Core Data can be read, and unchanged content is
/// written back byte for byte: unchanged objects, unknown elements, and objects of entities that the configuration or
/// the model doesn't have. No file of Apple's shows how the following is written, so MomKit's choice is: numbers have
/// the fewest digits that reproduce them, UUIDs and URLs are text, transformable values are base64, and elements of
/// composites are attributes named `composite.element`.
///
/// For all atomic stores, this type and ``NSBinaryStoreType``:
/// * The file of a new store is created by the first save.
/// * A file that another program has written since it was read isn't overwritten: the save fails with
///   ``NSPersistentStoreSaveError``.
/// * Derived attributes and uniqueness constraints are rejected, batch requests are unsupported
///   (``NSPersistentStoreUnsupportedRequestTypeError``), history isn't tracked, and large data stays in the file.
/// * A store of another model version is migrated by a migration manager: its objects get new IDs, and the store a
///   new UUID.
/// * Files of up to 1 GiB can be read. Damaged files are rejected with error 259, which names the position.
public let NSXMLStoreType = "XML"

/// Option of binary stores: the classes that may be decoded. Declared for programs that set it, but ignored: opening
/// a store never decodes the program's classes; only its attributes' transformers do.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Option of binary stores: whether other classes may be decoded too. Declared, but ignored.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Option of XML stores: whether they are validated against their DTD. Declared, but ignored: every file is checked
/// for what the DTD requires, and a DTD is never fetched.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"

/// Metadata: the store's type.
public let NSStoreTypeKey = "NSStoreType"
/// Metadata: the store's UUID.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Metadata: the version hashes of the model's entities.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// Metadata: the checksum of the model's version hashes.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// Metadata: the oldest system that can read the store.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// Metadata: the model's version identifiers.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"

/// Option: whether the store is opened read-only. A SQLite store is followed: what others write to its file is seen by the
/// next request. One that this process may not write is opened so without the option, with a message on standard error.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option: the time to wait for other programs' locks, in seconds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option: a dictionary of SQLite pragmas, by name.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option: whether SQLite gathers statistics (`ANALYZE`) when the store is opened.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Option: whether SQLite rebuilds the file (`VACUUM`) when the store is opened.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Option: whether the version hashes aren't checked. The next save then records the model's version hashes.
///
/// A SQLite store that lacks columns or tables of the model is opened read-only: properties without a column read as
/// nil. A store whose entities are numbered differently from the model's is rejected nevertheless, since its rows
/// would be mistaken for those of other entities.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option: whether a store of another version of the model is migrated.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Option: whether a mapping is inferred if none is found.
///
/// A store with objects isn't migrated so to a model that none of its entities go on in, under their names or renaming
/// identifiers: it is presumably another program's, and would lose all of them. Opening fails with
/// ``NSPersistentStoreIncompatibleVersionHashError`` then.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Option: an `NSStagedMigrationManager` that migrates a store of another version to the model.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
/// Option for destroying and replacing stores: whether other connections' locks are ignored. MomKit never ignores
/// them.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Option: whether persistent history is tracked.
///
/// A SQLite store that has history is read-only without this option, as in Core Data: readers of the history would
/// miss what is saved. To stop tracking history, open the store with the option, delete its history
/// (``NSPersistentHistoryChangeRequest/deleteHistory(before:)-(Date)`` with `.distantFuture`), and omit the option
/// from then on.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// Option: whether the cleanup after an inferred migration may be deferred to
/// ``NSPersistentStoreCoordinator/finishDeferredLightweightMigration()``. Ignored: a migration is always completed at
/// once.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"

/// Option: the protection of files on devices. Ignored, since there is no such protection here.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// Option: the maximum number of connections that read a SQLite store beside the writing one; 0 for none. By default
/// connections are opened as needed, once threads have to wait for each other; with this option they are used from the
/// first request. Stores in journal modes other than WAL have none.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Option of MomKit: whether a store that CloudKit mirrors (one with tables named `ANSCK…`) may be written. Without
/// it such a store is read-only, because the mirror would miss the changes.
public let MomKitWritesMirroredStoresOption = "MomKitWritesMirroredStoresOption"
/// Option: whether the coordinator posts `.NSPersistentStoreRemoteChange` for every write to the store, by this
/// program or another.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"

/// Notification: the stores that were added.
public let NSAddedPersistentStoresKey = "added"
/// Notification: a store whose objects were copied to another one, which has a UUID of its own: the old store, the new
/// one, and the new object IDs of the copied objects.
public let NSUUIDChangedPersistentStoresKey = "changed"
/// Notification: the stores that were removed.
public let NSRemovedPersistentStoresKey = "removed"

/// Remote change notification: the store's location.
public let NSPersistentStoreURLKey = "storeURL"
/// Remote change notification: the ``NSPersistentHistoryToken`` of the store, if it tracks history.
public let NSPersistentHistoryTokenKey = "historyToken"

extension NSNotification.Name {
  /// Posted by a coordinator, on any thread, after a write to a store that was opened with
  /// ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``.
  public static let NSPersistentStoreRemoteChange = NSNotification.Name(
    "NSPersistentStoreRemoteChangeNotification")
  /// Posted by a coordinator when its stores changed.
  public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification")
  /// Posted by a coordinator before its stores change.
  public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification")
  /// Posted by a coordinator before a store is removed, with the store.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
  /// Announces another device's changes through iCloud. Never posted; declared so that programs that still observe it
  /// compile.
  public static let NSPersistentStoreDidImportUbiquitousContentChanges = NSNotification.Name(
    "com.apple.coredata.ubiquity.importer.didfinishimport")
}

/// Reading of option values.
enum StoreOptions {
  /// Whether an option is set to true, a nonzero number, or a string that means true.
  static func isOn(_ key: String, in options: [AnyHashable: Any]?) -> Bool {
    switch options?[key] {
    case let flag as Bool: flag
    case let number as NSNumber: number.boolValue
    case let text as NSString: LeadingNumber.bool(of: String(text))
    default: false
    }
  }
}
/// Option of MomKit: the model that a store was created with, for a store without a copy of its model and whose model
/// isn't among the program's files. Its version hashes must be those of the store.
public let MomKitMigrationSourceModelOption = "MomKitMigrationSourceModelOption"
/// Option of MomKit: a `Progress` that reports the migration of a store, and cancels it when it is cancelled. Without
/// it the migration reports to `Progress.current()`.
public let MomKitMigrationProgressOption = "MomKitMigrationProgressOption"
/// Option of MomKit: the `NSMappingModel` for migrating a store of another version, if it was created in code rather
/// than in a `.cdm` file of the program. Every entity that it names must be in one of the two models, in the version
/// whose hash it records; otherwise opening fails with ``NSMigrationMissingMappingModelError`` instead of falling
/// back to inference. Objects of entities that it doesn't name are dropped.
public let MomKitMigrationMappingModelOption = "MomKitMigrationMappingModelOption"
