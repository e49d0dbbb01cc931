import Foundation

/// What a ``NSBatchUpdateRequest`` did.
open class NSBatchUpdateResult: NSPersistentStoreResult, @unchecked Sendable {
  /// What was asked for: a `Bool`, an array of ``NSManagedObjectID``, or an `Int`.
  public final let result: Any?
  /// Which of them it is.
  public final let resultType: NSBatchUpdateRequestResultType

  init(_ outcome: BatchOutcome, _ type: NSBatchUpdateRequestResultType) {
    resultType = type
    switch type {
    case .statusOnlyResultType: result = true
    case .updatedObjectIDsResultType: result = outcome.ids
    case .updatedObjectsCountResultType: result = outcome.count
    }
  }
}
