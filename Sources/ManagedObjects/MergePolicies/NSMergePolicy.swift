import Foundation

/// A context's policy for conflicts with other writers.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
/// ```
///
/// Subclasses can override ``resolve(optimisticLockingConflicts:)`` or ``resolve(constraintConflicts:)`` to resolve
/// conflicts themselves: change the objects, then call `super`, which ignores objects that were deleted.
open class NSMergePolicy: NSObject, @unchecked Sendable {
  /// The policy's type.
  public final let mergeType: NSMergePolicyType

  /// Creates a policy.
  public init(merge ty: NSMergePolicyType) { mergeType = ty }

  /// The save fails.
  public static let error = NSMergePolicy(merge: .errorMergePolicyType)
  /// Merges property by property; the store's values take precedence.
  public static let mergeByPropertyStoreTrump = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  /// Merges property by property; the objects' values take precedence.
  public static let mergeByPropertyObjectTrump = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  /// Saves objects as they are.
  public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
  /// Discards the objects' changes.
  public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)

  /// Resolves conflicts of both kinds.
  open func resolve(mergeConflicts list: [Any]) throws {
    var versions: [NSMergeConflict] = []
    var constraints: [NSConstraintConflict] = []
    for conflict in list {
      switch conflict {
      case let conflict as NSConstraintConflict: constraints.append(conflict)
      case let conflict as NSMergeConflict: versions.append(conflict)
      default: break
      }
    }
    if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Resolves conflicts with rows that other writers have changed.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    guard mergeType != .errorMergePolicyType else {
      throw CoreDataError.make(
        NSManagedObjectMergeError, "Could not merge changes.",
        [NSPersistentStoreSaveConflictsErrorKey: list])
    }
    var resolution = VersionResolution(mergeType)
    resolution.begin(list)
    try resolution.resolve(resolution.inOrder(list))
  }

  /// Resolves uniqueness conflicts: one object survives, and replaces the others.
  ///
  /// Core Data doesn't document which object survives and with which values. MomKit's rules are:
  ///
  /// - *Store trump* and *rollback*: the row stays as it is, and replaces a new object. A stored object that was
  ///   given another one's values gets its own back.
  /// - *Object trump*: the row stays, with the new object's values. Where the new object has none, the row's value
  ///   stays: a value that was never set can't be distinguished from one that was set to nil, and this loses nothing
  ///   silently. If the row's entity lacks properties of the new object's entity (as a sibling or superentity of it),
  ///   the new object replaces the row instead. A stored object that was given another one's values replaces that
  ///   one, and takes its values where it has none.
  /// - *Overwrite*: the saved object replaces the row, with its own values.
  /// - New objects of one save are treated as if they had been saved one after the other, in order of creation.
  ///
  /// The survivor takes over the loser's relationships, as far as the model permits: its members, in both directions,
  /// and its to-one relationships with an inverse where the survivor has none, or where the loser's values take
  /// precedence. To-one relationships without an inverse are treated like attributes. All references to the loser are
  /// redirected to the survivor. The loser's delete rules aren't applied. Core Data is said not to resolve conflicts
  /// of entities that have relationships without inverses; MomKit searches for such references and redirects them.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    guard mergeType != .errorMergePolicyType else {
      throw CoreDataError.make(
        NSManagedObjectConstraintMergeError, "Could not merge changes.",
        [NSPersistentStoreSaveConflictsErrorKey: list, "NSExceptionOmitCallstacks": true])
    }
    var resolution = ConstraintResolution(mergeType, count: list.count)
    // What was replaced before a failure is already gone.
    defer { resolution.redirectReferences() }
    for conflict in list { try resolution.resolve(conflict) }
  }
}

/// The save fails on conflicts.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// Conflicts are merged property by property; the store's values take precedence.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyStoreTrump
}
/// Conflicts are merged property by property; the objects' values take precedence.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyObjectTrump
}
/// Objects are saved as they are.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The objects' changes are discarded.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

/// The type of a merge policy.
public enum NSMergePolicyType: UInt, Sendable, CaseIterable {
  /// The save fails.
  case errorMergePolicyType = 0
  /// Merges property by property; if both changed, the store's value is kept.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// Merges property by property; if both changed, the object's value is saved.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The object is saved as it is.
  case overwriteMergePolicyType = 3
  /// The object's changes are discarded.
  case rollbackMergePolicyType = 4
}
