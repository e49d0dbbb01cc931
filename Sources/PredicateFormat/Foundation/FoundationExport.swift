// Exported, as with `import CoreData`. In a file that imports only this module, or one that re-exports it, the classes
// here also shadow Foundation's classes of the same names: its unavailable `NSExpression` and `NSComparisonPredicate`.
@_exported import Foundation
