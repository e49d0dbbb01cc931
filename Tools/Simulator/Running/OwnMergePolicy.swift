import MomKit

/// A program's own merge policy, which looks at conflicts and leaves them to the policy that it inherits from.
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
