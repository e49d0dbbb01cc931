import Foundation

/// Core Data's error codes, under both spellings, in the Cocoa error domain.
///
/// ```swift
/// do { try context.save() }
/// catch CocoaError.validationMissingMandatoryProperty { … }
/// ```
extension CocoaError.Code {
  /// An object violates a validation predicate without an error code of its own.
  public static let managedObjectValidation = CocoaError.Code(
    rawValue: NSManagedObjectValidationError)
  /// Several validations failed; `NSDetailedErrorsKey` lists them.
  public static let validationMultipleErrors = CocoaError.Code(
    rawValue: NSValidationMultipleErrorsError)
  /// A property that isn't optional has no value.
  public static let validationMissingMandatoryProperty = CocoaError.Code(
    rawValue: NSValidationMissingMandatoryPropertyError)
  /// A to-many relationship has too few destinations.
  public static let validationRelationshipLacksMinimumCount = CocoaError.Code(
    rawValue: NSValidationRelationshipLacksMinimumCountError)
  /// A to-many relationship has too many destinations.
  public static let validationRelationshipExceedsMaximumCount = CocoaError.Code(
    rawValue: NSValidationRelationshipExceedsMaximumCountError)
  /// An object can't be deleted while a relationship that denies it has destinations.
  public static let validationRelationshipDeniedDelete = CocoaError.Code(
    rawValue: NSValidationRelationshipDeniedDeleteError)
  /// A number is too large.
  public static let validationNumberTooLarge = CocoaError.Code(
    rawValue: NSValidationNumberTooLargeError)
  /// A number is too small.
  public static let validationNumberTooSmall = CocoaError.Code(
    rawValue: NSValidationNumberTooSmallError)
  /// A date is too late.
  public static let validationDateTooLate = CocoaError.Code(rawValue: NSValidationDateTooLateError)
  /// A date is too early.
  public static let validationDateTooSoon = CocoaError.Code(rawValue: NSValidationDateTooSoonError)
  /// A date is not valid.
  public static let validationInvalidDate = CocoaError.Code(rawValue: NSValidationInvalidDateError)
  /// A string is too long.
  public static let validationStringTooLong = CocoaError.Code(
    rawValue: NSValidationStringTooLongError)
  /// A string is too short.
  public static let validationStringTooShort = CocoaError.Code(
    rawValue: NSValidationStringTooShortError)
  /// A string doesn't match its pattern.
  public static let validationStringPatternMatching = CocoaError.Code(
    rawValue: NSValidationStringPatternMatchingError)
  /// A context couldn't be locked.
  public static let managedObjectContextLocking = CocoaError.Code(
    rawValue: NSManagedObjectContextLockingError)
  /// A coordinator couldn't be locked.
  public static let persistentStoreCoordinatorLocking = CocoaError.Code(
    rawValue: NSPersistentStoreCoordinatorLockingError)
  /// A row for an object ID is missing.
  public static let managedObjectReferentialIntegrity = CocoaError.Code(
    rawValue: NSManagedObjectReferentialIntegrityError)
  /// A relationship refers to another store.
  public static let managedObjectExternalRelationship = CocoaError.Code(
    rawValue: NSManagedObjectExternalRelationshipError)
  /// Another writer changed the same rows.
  public static let managedObjectMerge = CocoaError.Code(rawValue: NSManagedObjectMergeError)
  /// A uniqueness constraint is violated.
  public static let managedObjectConstraintMerge = CocoaError.Code(
    rawValue: NSManagedObjectConstraintMergeError)
  /// There is no store type with this name.
  public static let persistentStoreInvalidType = CocoaError.Code(
    rawValue: NSPersistentStoreInvalidTypeError)
  /// The store at this location has another type.
  public static let persistentStoreTypeMismatch = CocoaError.Code(
    rawValue: NSPersistentStoreTypeMismatchError)
  /// The store's schema is incompatible with the model.
  public static let persistentStoreIncompatibleSchema = CocoaError.Code(
    rawValue: NSPersistentStoreIncompatibleSchemaError)
  /// The save failed.
  public static let persistentStoreSave = CocoaError.Code(rawValue: NSPersistentStoreSaveError)
  /// Some stores were saved and others weren't.
  public static let persistentStoreIncompleteSave = CocoaError.Code(
    rawValue: NSPersistentStoreIncompleteSaveError)
  /// The save had conflicts.
  public static let persistentStoreSaveConflicts = CocoaError.Code(
    rawValue: NSPersistentStoreSaveConflictsError)
  /// An error without a code of its own.
  public static let coreData = CocoaError.Code(rawValue: NSCoreDataError)
  /// A store operation failed.
  public static let persistentStoreOperation = CocoaError.Code(
    rawValue: NSPersistentStoreOperationError)
  /// A store couldn't be opened.
  public static let persistentStoreOpen = CocoaError.Code(rawValue: NSPersistentStoreOpenError)
  /// A store couldn't be reached in time.
  public static let persistentStoreTimeout = CocoaError.Code(
    rawValue: NSPersistentStoreTimeoutError)
  /// The store doesn't support this kind of request.
  public static let persistentStoreUnsupportedRequestType = CocoaError.Code(
    rawValue: NSPersistentStoreUnsupportedRequestTypeError)
  /// The store was created with another version of the model.
  public static let persistentStoreIncompatibleVersionHash = CocoaError.Code(
    rawValue: NSPersistentStoreIncompatibleVersionHashError)
  /// The migration failed.
  public static let migration = CocoaError.Code(rawValue: NSMigrationError)
  /// The migration was cancelled.
  public static let migrationCancelled = CocoaError.Code(rawValue: NSMigrationCancelledError)
  /// The model that the store was created with can't be found.
  public static let migrationMissingSourceModel = CocoaError.Code(
    rawValue: NSMigrationMissingSourceModelError)
  /// There is no mapping from the store's model to this one.
  public static let migrationMissingMappingModel = CocoaError.Code(
    rawValue: NSMigrationMissingMappingModelError)
  /// The store to migrate from caused an error.
  public static let migrationManagerSourceStore = CocoaError.Code(
    rawValue: NSMigrationManagerSourceStoreError)
  /// The store to migrate to caused an error.
  public static let migrationManagerDestinationStore = CocoaError.Code(
    rawValue: NSMigrationManagerDestinationStoreError)
  /// A migration policy failed.
  public static let entityMigrationPolicy = CocoaError.Code(rawValue: NSEntityMigrationPolicyError)
  /// SQLite failed.
  public static let sqlite = CocoaError.Code(rawValue: NSSQLiteError)
  /// No mapping can be inferred between the two models.
  public static let inferredMappingModel = CocoaError.Code(rawValue: NSInferredMappingModelError)
  /// An external record couldn't be imported.
  public static let externalRecordImport = CocoaError.Code(rawValue: NSExternalRecordImportError)
}

extension CocoaError {
  /// An object violates a validation predicate without an error code of its own.
  public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
  /// Several validations failed; `NSDetailedErrorsKey` lists them.
  public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
  /// A property that isn't optional has no value.
  public static var validationMissingMandatoryProperty: CocoaError.Code {
    .validationMissingMandatoryProperty
  }
  /// A to-many relationship has too few destinations.
  public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
    .validationRelationshipLacksMinimumCount
  }
  /// A to-many relationship has too many destinations.
  public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
    .validationRelationshipExceedsMaximumCount
  }
  /// An object can't be deleted while a relationship that denies it has destinations.
  public static var validationRelationshipDeniedDelete: CocoaError.Code {
    .validationRelationshipDeniedDelete
  }
  /// A number is too large.
  public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
  /// A number is too small.
  public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
  /// A date is too late.
  public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
  /// A date is too early.
  public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
  /// A date is not valid.
  public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
  /// A string is too long.
  public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
  /// A string is too short.
  public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
  /// A string doesn't match its pattern.
  public static var validationStringPatternMatching: CocoaError.Code {
    .validationStringPatternMatching
  }
  /// A context couldn't be locked.
  public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
  /// A coordinator couldn't be locked.
  public static var persistentStoreCoordinatorLocking: CocoaError.Code {
    .persistentStoreCoordinatorLocking
  }
  /// A row for an object ID is missing.
  public static var managedObjectReferentialIntegrity: CocoaError.Code {
    .managedObjectReferentialIntegrity
  }
  /// A relationship refers to another store.
  public static var managedObjectExternalRelationship: CocoaError.Code {
    .managedObjectExternalRelationship
  }
  /// Another writer changed the same rows.
  public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
  /// A uniqueness constraint is violated.
  public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
  /// There is no store type with this name.
  public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
  /// The store at this location has another type.
  public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
  /// The store's schema is incompatible with the model.
  public static var persistentStoreIncompatibleSchema: CocoaError.Code {
    .persistentStoreIncompatibleSchema
  }
  /// The save failed.
  public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
  /// Some stores were saved and others weren't.
  public static var persistentStoreIncompleteSave: CocoaError.Code {
    .persistentStoreIncompleteSave
  }
  /// The save had conflicts.
  public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
  /// An error without a code of its own.
  public static var coreData: CocoaError.Code { .coreData }
  /// A store operation failed.
  public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
  /// A store couldn't be opened.
  public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
  /// A store couldn't be reached in time.
  public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
  /// The store doesn't support this kind of request.
  public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
    .persistentStoreUnsupportedRequestType
  }
  /// The store was created with another version of the model.
  public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
    .persistentStoreIncompatibleVersionHash
  }
  /// The migration failed.
  public static var migration: CocoaError.Code { .migration }
  /// The migration was cancelled.
  public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
  /// The model that the store was created with can't be found.
  public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
  /// There is no mapping from the store's model to this one.
  public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
  /// The store to migrate from caused an error.
  public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
  /// The store to migrate to caused an error.
  public static var migrationManagerDestinationStore: CocoaError.Code {
    .migrationManagerDestinationStore
  }
  /// A migration policy failed.
  public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
  /// SQLite failed.
  public static var sqlite: CocoaError.Code { .sqlite }
  /// No mapping can be inferred between the two models.
  public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
  /// An external record couldn't be imported.
  public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
}
