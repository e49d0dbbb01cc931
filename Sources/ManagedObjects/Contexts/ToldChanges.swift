/// The changed objects of an event while its observers are told of it.
final class ToldChanges {
  private let changed: [NSManagedObject]
  /// Made when the first object is looked for: few observers do.
  private lazy var identifiers = Set(changed.map(ObjectIdentifier.init))

  init(_ changed: [NSManagedObject]) { self.changed = changed }

  func contains(_ object: NSManagedObject) -> Bool {
    identifiers.contains(ObjectIdentifier(object))
  }
}
