import Foundation

/// What a ``NSBatchInsertRequest`` did.
open class NSBatchInsertResult: NSPersistentStoreResult, @unchecked Sendable {
  /// What was asked for: a `Bool`, an array of ``NSManagedObjectID``, or an `Int`.
  public final let result: Any?
  /// Which of them it is.
  public final let resultType: NSBatchInsertRequestResultType

  init(_ outcome: BatchOutcome, _ type: NSBatchInsertRequestResultType) {
    resultType = type
    switch type {
    case .statusOnly: result = true
    case .objectIDs: result = outcome.ids
    case .count: result = outcome.count
    }
  }
}
