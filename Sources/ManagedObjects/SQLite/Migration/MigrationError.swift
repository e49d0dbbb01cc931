import Foundation

/// The errors of store migration, with Core Data's codes.
enum MigrationError {
  /// An `NSMigrationError` with the reason, in Core Data's words if these are known.
  static func failed(
    _ reason: String, entity: String? = nil, attribute: String? = nil,
    relationship: String? = nil, underlying: (any Error)? = nil,
    code: Int = NSMigrationError
  ) -> NSError {
    var userInfo: [String: Any] = ["reason": reason]
    userInfo["entity"] = entity
    userInfo["attribute"] = attribute
    userInfo["relationship"] = relationship
    userInfo[NSUnderlyingErrorKey] = underlying
    return CoreDataError.make(
      code, "An error occurred during persistent store migration: \(reason)", userInfo: userInfo)
  }

  /// The error for a cancelled migration.
  static func cancelled() -> NSError {
    CoreDataError.make(
      NSMigrationCancelledError, "The migration was cancelled; the store is unchanged.")
  }

  /// The error if the model that the store was created with can't be found.
  static func missingSourceModel(_ metadata: [String: Any], at url: URL) -> NSError {
    CoreDataError.make(
      NSMigrationMissingSourceModelError,
      "Can't find model for source store: it is neither among the program's models nor in the "
        + "store; give it with the option \(MomKitMigrationSourceModelOption).",
      userInfo: ["metadata": metadata, NSFilePathErrorKey: url.path])
  }

  /// The error if there is no mapping from one model to the other.
  static func missingMapping(underlying: (any Error)?) -> NSError {
    var userInfo: [String: Any] = [
      "reason": "Can't find or automatically infer mapping model for migration"
    ]
    userInfo[NSUnderlyingErrorKey] = underlying
    let why = (underlying as NSError?)?.userInfo["reason"].map { ": \($0)" } ?? ""
    return CoreDataError.make(
      NSMigrationMissingMappingModelError,
      "Can't find or automatically infer mapping model for migration\(why)", userInfo: userInfo)
  }

  /// The error if no entity of a store goes on in the model that it is opened with.
  ///
  /// Inference would find nothing wrong with it, since entities may be removed: all of the store's objects would be.
  static func unrelatedModel(_ metadata: [String: Any], at url: URL) -> NSError {
    CoreDataError.make(
      NSPersistentStoreIncompatibleVersionHashError,
      "The model used to open the store is incompatible with the one used to create the store: it "
        + "has none of the store's entities, so the store is presumably another program's. Only a "
        + "mapping model or a staged migration can replace all entities of a store with objects.",
      userInfo: [
        NSFilePathErrorKey: url.path, "metadata": metadata,
        "reason": "the store was created with a model of other entities",
      ])
  }

  /// The error for a SQLite failure during a migration.
  static func database(_ error: SQLiteError, isCancelled: Bool) -> NSError {
    if error.code == .interrupted, isCancelled { return cancelled() }
    if error.code == .constraint {
      return failed(
        "Cannot migrate store in-place: constraint violation during attempted migration",
        underlying: error.cocoaError(NSSQLiteError), code: NSMigrationConstraintViolationError)
    }
    let cause = error.cocoaError(NSMigrationError)
    return cause.code == NSMigrationError
      ? failed("Cannot migrate store in-place: \(error.message)", underlying: cause) : cause
  }
}
