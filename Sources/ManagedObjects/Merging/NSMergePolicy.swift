import Foundation

/// What a context does when other writers changed the rows it saves.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
/// ```
///
/// A subclass may decide by itself: override ``resolve(optimisticLockingConflicts:)``, change the
/// objects, and call `super`.
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
    for conflict in list { apply(to: conflict.sourceObject, row: conflict.row) }
  }

  /// Resolves conflicts over values that must be unique.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    guard mergeType != .errorMergePolicyType else {
      throw CoreDataError.make(
        NSManagedObjectConstraintMergeError, "Could not merge changes.",
        [NSPersistentStoreSaveConflictsErrorKey: list, "NSExceptionOmitCallstacks": true])
    }
    for conflict in list {
      guard let present = conflict.databaseObject else { continue }
      for object in conflict.conflictingObjects { merge(object, into: present) }
    }
  }

  private final func apply(to object: NSManagedObject, row: StoredRow?) {
    guard let context = object.context else { return }
    guard let row else {
      // Deleted by the other: there is nothing left to write to.
      context.forget(object)
      return
    }
    var values = object.values
    for property in object.layout.values where !property.isTransient {
      let isMine = object.hasChanged(property)
      let isTheirs = row.values[property.slot] != object.committed[property.slot]
      let takesStore: Bool =
        switch mergeType {
        case .mergeByPropertyStoreTrumpMergePolicyType: isTheirs || !isMine
        case .mergeByPropertyObjectTrumpMergePolicyType: !isMine
        case .rollbackMergePolicyType: true
        default: false
        }
      if takesStore { values[property.slot] = row.values[property.slot] }
    }
    object.values = values
    object.committed = row.values
    object.version = row.version
    if mergeType == .rollbackMergePolicyType {
      object.state.subtract([.updated, .deleted, .propagated, .guarded])
      for members in object.toManys { members?.forget() }
    }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// Resolves a clash of a new object with a row that has its values.
  private final func merge(_ object: NSManagedObject, into present: NSManagedObject) {
    guard let context = object.context else { return }
    switch mergeType {
    case .mergeByPropertyObjectTrumpMergePolicyType:
      // The row stays the one it was, with the new object's values.
      for property in object.layout.values
      where !property.isTransient && !property.isDerived && !object.values[property.slot].isNull {
        present.setAttribute(object.values[property.slot], at: property.slot)
      }
      context.discard(object)
    case .overwriteMergePolicyType:
      context.delete(present)
      context.processPendingChanges()
    default:
      context.discard(object)
    }
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
