// Core Data under its own name, for programs that are built on Apple's systems too: what they import there
// is imported here by the same line, and `CoreData.NSManagedObject` and `#if canImport(CoreData)` hold.
@_exported import MomKit
