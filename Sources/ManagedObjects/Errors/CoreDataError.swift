import Foundation

/// The factory for this module's errors: `NSError`s with Core Data's codes.
enum CoreDataError {
  /// An error in the Cocoa domain.
  static func make(
    _ code: Int, _ text: String? = nil, userInfo: [String: Any] = [:]
  ) -> NSError {
    var userInfo = userInfo
    if let text { userInfo[NSLocalizedDescriptionKey] = text }
    return NSError(domain: NSCocoaErrorDomain, code: code, userInfo: userInfo)
  }

  static func missingRow(_ id: NSManagedObjectID) -> NSError {
    make(
      NSManagedObjectReferentialIntegrityError, "There is no row for \(id).",
      userInfo: [NSAffectedObjectsErrorKey: [id]])
  }

  /// The error for objects that a child context has changed and its parent has deleted.
  static func deletedInParent(_ objects: [NSManagedObject]) -> NSError {
    make(
      NSManagedObjectReferentialIntegrityError,
      "The parent context has deleted objects that were changed here.",
      userInfo: [NSAffectedObjectsErrorKey: objects])
  }

  /// The text of the error for a relationship to a deleted object.
  static let danglingText = "Dangling reference to an invalid object."

  /// The error for an object ID that can't be written into a store: one of another store, or of an object that was
  /// never saved and won't be.
  static func unwritable(_ id: NSManagedObjectID) -> NSError {
    id.isTemporary
      ? make(
        NSManagedObjectValidationError, danglingText, userInfo: [NSAffectedObjectsErrorKey: [id]])
      : make(
        NSManagedObjectExternalRelationshipError,
        "A relationship refers to \(id), which is in another store.",
        userInfo: [NSAffectedObjectsErrorKey: [id]])
  }

  /// The error for a save within a save. Core Data throws this code but has no name for it.
  static func recursiveSave() -> NSError {
    make(132_001, "attempt to recursively call -save: on the context aborted")
  }

  static func noStore(for entity: String) -> NSError {
    make(
      NSPersistentStoreOperationError,
      "No store of the coordinator accepts objects of the entity '\(entity)'; add one first.")
  }

  /// The error for an entity whose stores can't be written, or that has no store.
  static func noStore(for entity: String, among stores: [NSPersistentStore]) -> NSError {
    stores.isEmpty ? noStore(for: entity) : readOnly(stores)
  }

  static func readOnly(
    _ stores: [NSPersistentStore], _ objects: [NSManagedObject] = []
  ) -> NSError {
    let reasons = stores.compactMap { ((try? $0.requireEngine()) as? SQLiteEngine)?.readOnlyReason }
    // The first that the program may not know of.
    let reason = reasons.first { $0 != .option } ?? .option
    return make(
      NSPersistentStoreSaveError, reason.text,
      userInfo: objects.isEmpty
        ? [NSAffectedStoresErrorKey: stores]
        : [NSAffectedStoresErrorKey: stores, NSAffectedObjectsErrorKey: objects])
  }

  /// The error for adding a store twice. The code has no public name in Core Data.
  static func secondStore(at url: URL?) -> NSError {
    make(
      134081, "Can't add the same store twice.",
      userInfo: url.map { [NSFilePathErrorKey: $0.path] } ?? [:])
  }

  /// A single validation error.
  static func validation(
    _ code: Int, _ text: String, object: NSManagedObject, key: String? = nil, value: Any? = nil,
    predicate: NSPredicate? = nil
  ) -> NSError {
    var userInfo: [String: Any] = [NSValidationObjectErrorKey: object]
    userInfo[NSValidationKeyErrorKey] = key
    userInfo[NSValidationValueErrorKey] = value
    userInfo[NSValidationPredicateErrorKey] = predicate
    return make(code, text, userInfo: userInfo)
  }

  /// A single error as it is, several combined in one.
  static func combined(_ errors: [any Error]) -> (any Error)? {
    if errors.count <= 1 { return errors.first }
    let details = errors.flatMap { error -> [any Error] in
      let error = error as NSError
      guard error.code == NSValidationMultipleErrorsError else { return [error] }
      return error.userInfo[NSDetailedErrorsKey] as? [any Error] ?? [error]
    }
    return make(
      NSValidationMultipleErrorsError, "Multiple validation errors occurred.",
      userInfo: [NSDetailedErrorsKey: details])
  }
}
