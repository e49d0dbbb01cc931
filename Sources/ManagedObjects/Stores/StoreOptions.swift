import Foundation
import PredicateFormat

/// A store in a SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// A store that lives as long as its coordinator.
public let NSInMemoryStoreType = "InMemory"
/// A store in a binary file, which is read as a whole when it is opened and written as a whole with every save.
///
/// The file's form is MomKit's own: no file of Apple's was at hand to learn theirs from, so that neither can read the
/// other's. Between MomKit's programs, and for tests, the type is what it is on Apple's systems: a store whose saves
/// are all or nothing, which can be moved into one of any other type by
/// ``NSPersistentStoreCoordinator/migratePersistentStore(_:to:options:withType:)``.
///
/// What is said of ``NSXMLStoreType`` about atomic stores is true of it as well.
public let NSBinaryStoreType = "Binary"
/// A store in an XML file of Core Data's own form, which is read as a whole when it is opened and written as a whole
/// with every save.
///
/// On Apple's systems the type is macOS's alone. Files that Core Data wrote are read, and what isn't changed in them
/// is written as it was, byte for byte: unchanged objects, elements that aren't known, objects of entities that the
/// configuration or the model doesn't have. What is seen in no file of Apple's, and so was decided here: numbers
/// have the fewest digits that give them back, UUIDs and URLs are text, transformable values base64, elements of
/// composites attributes `composite.element`.
///
/// Of all atomic stores, this and ``NSBinaryStoreType``:
/// * The file of a new store is made by the first save.
/// * A file that somebody else has written since it was read isn't overwritten: saving fails with
///   ``NSPersistentStoreSaveError``.
/// * Derived attributes and uniqueness constraints are refused, batch requests are unsupported
///   (``NSPersistentStoreUnsupportedRequestTypeError``), no history is kept, and large data stay in the file.
/// * A store of another version is migrated by a migration manager: its objects and the store get new identities.
/// * Files of up to 1 GiB are read. Damaged ones are refused with error 259, which names the place.
public let NSXMLStoreType = "XML"

/// Option of binary stores: the classes that may be decoded. Known by name, for programs that set it: no class of a
/// program is ever decoded by opening a store, only by the transformers of its attributes.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Option of binary stores: whether other classes may be decoded too. Known by name.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
  "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Option of XML stores: whether they are checked against their DTD. Known by name: every file is checked for what
/// the DTD says, and none is ever fetched.
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

/// Option: whether writing is refused.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Option: how long to wait for other programs, in seconds.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Option: a dictionary of SQLite pragmas, by name.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Option: whether SQLite gathers statistics when the store is opened.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Option: whether SQLite rebuilds the file when the store is opened.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Option: whether the version hashes are left unchecked. They become the model's with the next save.
///
/// A SQLite store that lacks columns or tables of the model is opened for reading only: what it has no column for
/// reads as nil. One whose entities have other numbers than the model's is refused all the same, since its rows
/// would be taken for others.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option: whether a store of another version of the model is migrated.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"
/// Option: whether a mapping is inferred when none is found.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Option: an `NSStagedMigrationManager` that brings a store of another version to the model.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
/// Option, for destroying and replacing: whether locks of others are ignored. MomKit never ignores
/// them.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Option: whether persistent history is kept.
///
/// A SQLite store that has a history is read-only without it, as in Core Data: readers of the history would miss what
/// is saved. To have a store keep none any more, open it with the option, delete its history
/// (``NSPersistentHistoryChangeRequest/deleteHistory(before:)-(Date)`` of `.distantFuture`), and leave it out then.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// Option: whether cleaning up after an inferred migration may be put off, to be done by
/// ``NSPersistentStoreCoordinator/finishDeferredLightweightMigration()``. Ignored: a store is migrated in one
/// go.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"

/// Option: how files are protected on devices. Ignored, since there is no such protection here.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// Option: how many connections read at the same time. Ignored: a store has one connection.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// Option: whether a store that CloudKit mirrors (one with tables named `ANSCK…`) may be written.
/// Unless it is on, such a store is read-only: the mirror would lose track of foreign changes.
/// MomKit's own.
public let MomKitWritesMirroredStoresOption = "MomKitWritesMirroredStoresOption"
/// Option: whether the coordinator posts `.NSPersistentStoreRemoteChange` for every write to the
/// store, this program's own and those of others.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"

/// Notification: the stores that were added.
public let NSAddedPersistentStoresKey = "added"
/// Notification: the stores whose UUIDs changed, each with its old and new place.
public let NSUUIDChangedPersistentStoresKey = "changed"
/// Notification: the stores that were removed.
public let NSRemovedPersistentStoresKey = "removed"

/// Remote change notification: where the store is.
public let NSPersistentStoreURLKey = "storeURL"
/// Remote change notification: the ``NSPersistentHistoryToken`` of the store, if it keeps history.
public let NSPersistentHistoryTokenKey = "historyToken"

extension NSNotification.Name {
  /// Posted by a coordinator, on any thread, when somebody wrote to a store that was opened with
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
  /// Another device's changes came through iCloud. Never posted: programs that still listen for it are built.
  public static let NSPersistentStoreDidImportUbiquitousContentChanges = NSNotification.Name(
    "com.apple.coredata.ubiquity.importer.didfinishimport")
}

/// Reading options' values.
enum StoreOptions {
  /// Whether an option is on, given as a `Bool` or a number.
  static func isOn(_ key: String, in options: [AnyHashable: Any]?) -> Bool {
    switch options?[key] {
    case let flag as Bool: flag
    case let number as NSNumber: number.boolValue
    case let text as NSString: LeadingNumber.bool(of: String(text))
    default: false
    }
  }
}
/// Option: the model a store was made with, for stores without a copy of it whose model isn't among
/// the program's files. Its version hashes must be those of the store.
public let MomKitMigrationSourceModelOption = "MomKitMigrationSourceModelOption"
/// Option: a `Progress` that follows the migration of a store, and cancels it when it is cancelled.
/// Without it the migration is a part of `Progress.current()`.
public let MomKitMigrationProgressOption = "MomKitMigrationProgressOption"
/// Option: the `NSMappingModel` that a store of another version is migrated by, where it is in no
/// `.cdm` file of the program: one made in code. Every entity that it names must be one of the two
/// models, in the version whose hash it records; else opening fails with
/// ``NSMigrationMissingMappingModelError`` rather than by inference. Objects of entities it doesn't name
/// are left out.
public let MomKitMigrationMappingModelOption = "MomKitMigrationMappingModelOption"
