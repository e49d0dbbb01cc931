// The modules that a Core Data program uses: objects and stores, models and their files, predicates. Compiling sources,
// comparing models and listing them are separate modules: ModelSource, ModelEvolution, ModelListing.
@_exported import DataModels
@_exported import ManagedObjects
@_exported import PredicateFormat

// These names are also exported individually, so that they take precedence over Foundation's more limited versions in
// files that import Foundation, XCTest or Testing beside this module.
@_exported import func ManagedObjects.NSClassFromString
@_exported import func ManagedObjects.NSStringFromClass
@_exported import class PredicateFormat.NSComparisonPredicate
@_exported import class PredicateFormat.NSCompoundPredicate
@_exported import class PredicateFormat.NSExpression
