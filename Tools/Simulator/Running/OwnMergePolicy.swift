import MomKit

/// A merge policy defined by the program: it inspects the conflicts and calls its superclass.
final class OwnMergePolicy: NSMergePolicy, @unchecked Sendable {
  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    precondition(!list.isEmpty && list.allSatisfy { $0.sourceObject.managedObjectContext != nil })
    try super.resolve(optimisticLockingConflicts: list)
  }

  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    precondition(!list.isEmpty && list.allSatisfy { !$0.constraint.isEmpty })
    try super.resolve(constraintConflicts: list)
  }
}
