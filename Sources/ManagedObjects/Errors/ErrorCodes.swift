import Foundation

/// The domain-wide error codes under their Objective-C names.

/// An object violates a validation predicate without an error code of its own.
public var NSManagedObjectValidationError: Int { 1550 }
/// An object violates a uniqueness constraint in validation.
public var NSManagedObjectConstraintValidationError: Int { 1551 }
/// Several validations failed; `NSDetailedErrorsKey` lists them.
public var NSValidationMultipleErrorsError: Int { 1560 }
/// A property that isn't optional has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }
/// A to-many relationship has too few destinations.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }
/// A to-many relationship has too many destinations.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }
/// An object can't be deleted while a relationship that denies it has destinations.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }
/// A number is too large.
public var NSValidationNumberTooLargeError: Int { 1610 }
/// A number is too small.
public var NSValidationNumberTooSmallError: Int { 1620 }
/// A date is too late.
public var NSValidationDateTooLateError: Int { 1630 }
/// A date is too early.
public var NSValidationDateTooSoonError: Int { 1640 }
/// A date is not valid.
public var NSValidationInvalidDateError: Int { 1650 }
/// A string is too long.
public var NSValidationStringTooLongError: Int { 1660 }
/// A string is too short.
public var NSValidationStringTooShortError: Int { 1670 }
/// A string doesn't match its pattern.
public var NSValidationStringPatternMatchingError: Int { 1680 }
/// A string isn't a URL.
public var NSValidationInvalidURIError: Int { 1690 }
/// A context couldn't be locked.
public var NSManagedObjectContextLockingError: Int { 132000 }
/// A coordinator couldn't be locked.
public var NSPersistentStoreCoordinatorLockingError: Int { 132010 }
/// A row for an object ID is missing.
public var NSManagedObjectReferentialIntegrityError: Int { 133000 }
/// A relationship refers to another store.
public var NSManagedObjectExternalRelationshipError: Int { 133010 }
/// Another writer changed the same rows.
public var NSManagedObjectMergeError: Int { 133020 }
/// A uniqueness constraint is violated.
public var NSManagedObjectConstraintMergeError: Int { 133021 }
/// There is no store type with this name.
public var NSPersistentStoreInvalidTypeError: Int { 134000 }
/// The store at this location has another type.
public var NSPersistentStoreTypeMismatchError: Int { 134010 }
/// The store's schema is incompatible with the model.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134020 }
/// The save failed.
public var NSPersistentStoreSaveError: Int { 134030 }
/// Some stores were saved and others weren't.
public var NSPersistentStoreIncompleteSaveError: Int { 134040 }
/// The save had conflicts.
public var NSPersistentStoreSaveConflictsError: Int { 134050 }
/// An error without a code of its own.
public var NSCoreDataError: Int { 134060 }
/// A store operation failed.
public var NSPersistentStoreOperationError: Int { 134070 }
/// A store couldn't be opened.
public var NSPersistentStoreOpenError: Int { 134080 }
/// A store couldn't be reached in time.
public var NSPersistentStoreTimeoutError: Int { 134090 }
/// The store doesn't support this kind of request.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134091 }
/// The store was created with another version of the model.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134100 }
/// The migration failed.
public var NSMigrationError: Int { 134110 }
/// Migrated rows violate a uniqueness constraint.
public var NSMigrationConstraintViolationError: Int { 134111 }
/// The migration was cancelled.
public var NSMigrationCancelledError: Int { 134120 }
/// The model that the store was created with can't be found.
public var NSMigrationMissingSourceModelError: Int { 134130 }
/// There is no mapping from the store's model to this one.
public var NSMigrationMissingMappingModelError: Int { 134140 }
/// The store to migrate from caused an error.
public var NSMigrationManagerSourceStoreError: Int { 134150 }
/// The store to migrate to caused an error.
public var NSMigrationManagerDestinationStoreError: Int { 134160 }
/// A migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134170 }
/// SQLite failed.
public var NSSQLiteError: Int { 134180 }
/// No mapping can be inferred between the two models.
public var NSInferredMappingModelError: Int { 134190 }
/// An external record couldn't be imported.
public var NSExternalRecordImportError: Int { 134200 }
/// Persistent history no longer reaches back to this token.
public var NSPersistentHistoryTokenExpiredError: Int { 134301 }
/// A model named by a migration stage wasn't found.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134504 }
/// The store was written by a framework version that staged migration doesn't support.
public var NSStagedMigrationFrameworkVersionMismatchError: Int { 134505 }
/// The stages would migrate the store to an older version.
public var NSStagedMigrationBackwardMigrationError: Int { 134506 }

// MARK: Keys of `userInfo`

/// The object that failed validation.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The name of the property that failed validation.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The predicate that failed.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that failed.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The errors behind a ``NSValidationMultipleErrorsError``.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The objects an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The stores an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The conflicts of a save: ``NSMergeConflict`` or ``NSConstraintConflict``.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// SQLite's own code behind an error, as a key of its `userInfo`.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
/// The ``NSMigrationManager``, in a migration error; and as `$manager`, in a mapping's expression.
public let NSMigrationManagerKey = "manager"
/// The source object, in a migration error; and as `$source`, in a mapping's expression.
public let NSMigrationSourceObjectKey = "source"
/// The destination object, in a migration error; and as `$destination`, in a mapping's expression.
public let NSMigrationDestinationObjectKey = "destination"
/// The `NSEntityMapping`, in a migration error; and as `$entityMapping`, in a mapping's expression.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The `NSPropertyMapping`, in a migration error; and as `$propertyMapping`, in an expression.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The ``NSEntityMigrationPolicy``, in a migration error; and as `$entityPolicy`, in an expression.
public let NSMigrationEntityPolicyKey = "entityPolicy"
