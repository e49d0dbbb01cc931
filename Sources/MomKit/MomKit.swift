// What a program of Core Data's imports: objects and stores, models and their files, predicates. Compiling
// sources, comparing models and listing them are modules of their own: ModelSource, ModelEvolution,
// ModelListing.
@_exported import DataModels
@_exported import ManagedObjects
@_exported import PredicateFormat
