import Foundation

/// What a ``NSPersistentHistoryChangeRequest`` gave.
open class NSPersistentHistoryResult: NSPersistentStoreResult, @unchecked Sendable {
  /// What was asked for: an array of ``NSPersistentHistoryTransaction`` or
  /// ``NSPersistentHistoryChange`` or ``NSManagedObjectID``, an `Int`, or a `Bool`.
  public final let result: Any?
  /// Which of them it is.
  public final let resultType: NSPersistentHistoryResultType

  init(_ result: Any?, _ type: NSPersistentHistoryResultType) {
    self.result = result
    resultType = type
  }
}
