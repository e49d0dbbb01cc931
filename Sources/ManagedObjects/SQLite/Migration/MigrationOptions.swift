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
