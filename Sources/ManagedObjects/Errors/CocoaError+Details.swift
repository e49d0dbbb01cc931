import Foundation
import PredicateFormat

/// What Core Data's errors tell beside their codes.
///
/// ```swift
/// do { try context.save() } catch let error as CocoaError {
///   print(error.validationKey ?? "", error.validationValue ?? "")
/// }
/// ```
extension CocoaError {
  /// The object that failed a validation; nil in other errors.
  public var validationObject: AnyObject? { detail(NSValidationObjectErrorKey) }
  /// The property that failed a validation; nil in other errors.
  public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }
  /// The predicate that a value doesn't satisfy; nil in other errors.
  public var validationPredicate: NSPredicate? {
    userInfo[NSValidationPredicateErrorKey] as? NSPredicate
  }
  /// The value that failed a validation; nil in other errors, and for a missing value.
  public var validationValue: AnyObject? { detail(NSValidationValueErrorKey) }
  /// The objects that an error concerns; nil if it names none.
  public var affectedObjects: [AnyObject]? {
    (userInfo[NSAffectedObjectsErrorKey] as? [Any])?.map { $0 as AnyObject }
  }
  /// The stores that an error concerns; nil if it names none.
  public var affectedStores: [AnyObject]? {
    (userInfo[NSAffectedStoresErrorKey] as? [Any])?.map { $0 as AnyObject }
  }
  /// The conflicts that ended a save; nil in other errors.
  public var persistentStoreSaveConflicts: [NSMergeConflict]? {
    userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
  }

  private func detail(_ key: String) -> AnyObject? { userInfo[key].map { $0 as AnyObject } }
}
