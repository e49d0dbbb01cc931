import Foundation

/// A violation of a uniqueness constraint: several objects have the same values.
///
/// ```swift
/// do {
///   try context.save()
/// } catch let error as NSError where error.code == NSManagedObjectConstraintMergeError {
///   let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
///   for conflict in list as? [NSConstraintConflict] ?? [] {
///     print(conflict.constraint, conflict.constraintValues)
///   }
/// }
/// ```
///
/// There are two kinds, as in Core Data. If several objects of one save have the same values, there is no
/// ``databaseObject``, and all of them are ``conflictingObjects``. Otherwise, a row in the store has the values of
/// one object already. If both apply, the conflict between objects comes first.
open class NSConstraintConflict: NSObject {
  /// The names of the constraint's attributes.
  public final let constraint: [String]
  /// The object of the row that has the values already; nil for a conflict between objects of one save.
  public final let databaseObject: NSManagedObject?
  /// The values of that row.
  public final private(set) lazy var databaseSnapshot: [String: Any]? = row.flatMap { row in
    conflictingObjects.first?.snapshot(of: row.values, row.layout)
  }
  /// The objects with the same values.
  public final let conflictingObjects: [NSManagedObject]
  /// Their values.
  public final private(set) lazy var conflictingSnapshots: [[AnyHashable: Any]] =
    zip(conflictingObjects, values).map { object, values in object.snapshot(of: values) }

  /// That row, unless a program created the conflict.
  final let row: StoredRow?
  /// The values of the objects when the conflict was met. Few policies look at snapshots, so these are made when asked
  /// for.
  private let values: [[StoredValue]]

  /// Creates a conflict.
  public init(
    constraint contraint: [String], database databaseObject: NSManagedObject?,
    databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
    conflictingSnapshots: [Any]
  ) {
    constraint = contraint
    self.databaseObject = databaseObject
    self.conflictingObjects = conflictingObjects
    (row, values) = (nil, [])
    super.init()
    self.databaseSnapshot = databaseSnapshot as? [String: Any]
    self.conflictingSnapshots = conflictingSnapshots.compactMap { $0 as? [AnyHashable: Any] }
  }

  /// Creates a conflict of nothing, for test doubles.
  public override convenience init() {
    self.init(
      constraint: [], database: nil, databaseSnapshot: nil, conflicting: [],
      conflictingSnapshots: [])
  }

  /// Creates a conflict between objects of one save.
  init(_ objects: [NSManagedObject], constraint: [String]) {
    self.constraint = constraint
    databaseObject = nil
    conflictingObjects = objects
    (row, values) = (nil, objects.map(\.values))
  }

  /// Creates a conflict between an object and a row.
  init(_ object: NSManagedObject, constraint: [String], database: NSManagedObject, row: StoredRow) {
    self.constraint = constraint
    databaseObject = database
    conflictingObjects = [object]
    (self.row, values) = (row, [object.values])
  }

  /// The conflicting values, by the constraint's names; that of a composite attribute's element by its path.
  public final var constraintValues: [String: Any] {
    guard let first = conflictingSnapshots.first else { return [:] }
    return Dictionary(
      constraint.compactMap { key in Self.value(key, in: first).map { (key, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  private static func value(_ key: String, in snapshot: [AnyHashable: Any]) -> Any? {
    if let value = snapshot[key] { return value }
    var value: Any? = snapshot
    for name in key.split(separator: ".") { value = (value as? [AnyHashable: Any])?[String(name)] }
    return value
  }

  public override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return
      "NSConstraintConflict (0x\(address)) for constraint (\(constraint.joined(separator: ", "))): "
      + "database: \(databaseObject.map { "\($0.objectID)" } ?? "(null)"), conflictedObjects: "
      + "(\(conflictingObjects.map { "\($0.objectID)" }.joined(separator: ", ")))"
  }
}
