import Foundation

/// What a context does when other writers changed the rows it saves.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
/// ```
///
/// A subclass may decide by itself: override ``resolve(optimisticLockingConflicts:)`` or
/// ``resolve(constraintConflicts:)``, change the objects, and call `super`. Objects it has deleted are left
/// alone there.
open class NSMergePolicy: NSObject, @unchecked Sendable {
  /// What the policy does.
  public final let mergeType: NSMergePolicyType

  /// Makes a policy.
  public init(merge ty: NSMergePolicyType) { mergeType = ty }

  /// Saving fails.
  public static let error = NSMergePolicy(merge: .errorMergePolicyType)
  /// Property by property, the store's values first.
  public static let mergeByPropertyStoreTrump = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
  /// Property by property, the objects' values first.
  public static let mergeByPropertyObjectTrump = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
  /// Objects are saved as they are.
  public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
  /// The objects' changes are dropped.
  public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)

  /// Resolves conflicts of both kinds.
  open func resolve(mergeConflicts list: [Any]) throws {
    let versions = list.compactMap { $0 as? NSMergeConflict }
    if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
    let constraints = list.compactMap { $0 as? NSConstraintConflict }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Resolves conflicts over rows that other writers changed.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    guard mergeType != .errorMergePolicyType else {
      throw CoreDataError.make(
        NSManagedObjectMergeError, "Could not merge changes.",
        [NSPersistentStoreSaveConflictsErrorKey: list])
    }
    let resolution = VersionResolution(mergeType)
    resolution.begin(list)
    for conflict in list { try resolution.resolve(conflict) }
  }

  /// Resolves conflicts over values that must be unique: one object survives, and takes the place of the
  /// others.
  ///
  /// Which one that is, and with which values, Core Data doesn't document. Here:
  ///
  /// - The store's values first, or dropping changes: the row stays as it is, and a new object gives way to
  ///   it. An object of the store that was given another's values has its own back.
  /// - The objects' values first: the row stays, with the new object's values. Where the new object has
  ///   none, the row's value stays: what was never set can't be told from what was set to nil, and nothing
  ///   is lost unsaid. If the row is of an entity that lacks what the new object's has (one beside it, or
  ///   above), the new object takes the place of the row instead. An object of the store that was given another's
  ///   values takes that one's place, and its values where it has none.
  /// - Overwriting: the object saved takes the row's place, with its own values.
  /// - Between new objects of one save it is as if they were saved one after the other, in the order of
  ///   their making.
  ///
  /// The survivor takes over the loser's relationships: its members, in both directions, and its to-ones with
  /// an inverse where the survivor has none (without an inverse they are values like any other; or where the loser's values come first), as far as the model lets them lead to
  /// the survivor. Whatever led to the loser leads to the survivor. The loser's delete rules aren't applied.
  /// Core Data is said not to resolve conflicts of entities with relationships without inverse; here they
  /// are looked for, and follow.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    guard mergeType != .errorMergePolicyType else {
      throw CoreDataError.make(
        NSManagedObjectConstraintMergeError, "Could not merge changes.",
        [NSPersistentStoreSaveConflictsErrorKey: list, "NSExceptionOmitCallstacks": true])
    }
    var resolution = ConstraintResolution(mergeType)
    for conflict in list { resolution.resolve(conflict) }
    try resolution.redirectReferences()
  }
}

/// Saving fails on conflicts.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// Conflicts are merged property by property, the store's values first.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyStoreTrump
}
/// Conflicts are merged property by property, the objects' values first.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject {
  NSMergePolicy.mergeByPropertyObjectTrump
}
/// Objects are saved as they are.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The objects' changes are dropped.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

/// What a merge policy does.
public enum NSMergePolicyType: UInt, Sendable, CaseIterable {
  /// Saving fails.
  case errorMergePolicyType = 0
  /// Property by property; where both changed, the store's value stays.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// Property by property; where both changed, the object's value is saved.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The object is saved as it is.
  case overwriteMergePolicyType = 3
  /// The object's changes are dropped.
  case rollbackMergePolicyType = 4
}
