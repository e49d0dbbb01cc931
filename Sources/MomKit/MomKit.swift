// What a program of Core Data's imports: objects and stores, models and their files, predicates. Compiling
// sources, comparing models and listing them are modules of their own: ModelSource, ModelEvolution,
// ModelListing.
@_exported import DataModels
@_exported import ManagedObjects
@_exported import PredicateFormat

// These names are exported by themselves too: they come before Foundation's then, which know less here, in a
// file that imports Foundation, XCTest or Testing beside this module.
@_exported import func ManagedObjects.NSClassFromString
@_exported import func ManagedObjects.NSStringFromClass
@_exported import class PredicateFormat.NSComparisonPredicate
@_exported import class PredicateFormat.NSCompoundPredicate
@_exported import class PredicateFormat.NSExpression
