// Core Data under its own name, for programs that are also built on Apple's systems: the same import statement works
// here, as do `CoreData.NSManagedObject` and `#if canImport(CoreData)`.
@_exported import MomKit
