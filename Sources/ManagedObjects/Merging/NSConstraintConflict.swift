import Foundation

/// An object whose values another one has, where the model says that no two may share them.
open class NSConstraintConflict: NSObject {
  /// The names of the attributes that must differ.
  public final let constraint: [String]
  /// The object of the row that has the values already; nil when both are new.
  public final let databaseObject: NSManagedObject?
  /// The values of that row.
  public final let databaseSnapshot: [String: Any]?
  /// The objects that want the same values.
  public final let conflictingObjects: [NSManagedObject]
  /// Their values.
  public final let conflictingSnapshots: [[AnyHashable: Any]]
  let row: StoredRow?

  /// Describes a conflict.
  public init(
    constraint contraint: [String], database databaseObject: NSManagedObject?,
    databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
    conflictingSnapshots: [Any]
  ) {
    constraint = contraint
    self.databaseObject = databaseObject
    self.databaseSnapshot = databaseSnapshot as? [String: Any]
    self.conflictingObjects = conflictingObjects
    self.conflictingSnapshots = conflictingSnapshots.compactMap { $0 as? [AnyHashable: Any] }
    row = nil
  }

  init(_ object: NSManagedObject, constraint: [String], database: NSManagedObject, row: StoredRow) {
    self.constraint = constraint
    databaseObject = database
    databaseSnapshot = database.snapshot(of: row.values)
    conflictingObjects = [object]
    conflictingSnapshots = [object.snapshot(of: object.values)]
    self.row = row
  }

  /// The values that must differ.
  public final var constraintValues: [String: Any] {
    guard let first = conflictingSnapshots.first else { return [:] }
    return Dictionary(
      constraint.compactMap { key in first[key].map { (key, $0) } },
      uniquingKeysWith: { first, _ in first })
  }
}
