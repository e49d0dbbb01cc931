/// Option: the model a store was made with, for stores without a copy of it whose model isn't among
/// the program's files. Its version hashes must be those of the store.
public let MomKitMigrationSourceModelOption = "MomKitMigrationSourceModelOption"

/// Option: a `Progress` that follows the migration of a store, and cancels it when it is cancelled.
/// Without it the migration is a part of `Progress.current()`.
public let MomKitMigrationProgressOption = "MomKitMigrationProgressOption"

/// Option: the `NSMappingModel` that a store of another version is migrated by, where it is in no
/// `.cdm` file of the program: one made in code.
public let MomKitMigrationMappingModelOption = "MomKitMigrationMappingModelOption"
