import Foundation

/// What a request gave, other than a fetch: the superclass of the results of batches and of
/// persistent history.
open class NSPersistentStoreResult: NSObject, @unchecked Sendable {}
