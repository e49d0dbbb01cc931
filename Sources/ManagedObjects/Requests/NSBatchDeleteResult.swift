import Foundation

/// What a ``NSBatchDeleteRequest`` did.
open class NSBatchDeleteResult: NSPersistentStoreResult, @unchecked Sendable {
  /// What was asked for: a `Bool`, an array of ``NSManagedObjectID``, or an `Int`.
  public final let result: Any?
  /// Which of them it is.
  public final let resultType: NSBatchDeleteRequestResultType

  init(_ outcome: BatchOutcome, _ type: NSBatchDeleteRequestResultType) {
    resultType = type
    switch type {
    case .resultTypeStatusOnly: result = true
    case .resultTypeObjectIDs: result = outcome.ids
    case .resultTypeCount: result = outcome.count
    }
  }
}
