// As `import CoreData` does. And where a file imports only this module, or one that re-exports it,
// the classes here are the only ones of their names: Foundation's unavailable `NSExpression` and
// `NSComparisonPredicate` are in the shadow of ours.
@_exported import Foundation
