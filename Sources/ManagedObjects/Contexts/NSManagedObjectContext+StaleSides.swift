import DataModels

/// The sides of one-to-one relationships that were read at different times.
///
/// Here two objects may lead to each other by a change of only one of them: the other's value is the one that was read,
/// before another writer changed its row. Saved alone, the change would leave the relationship with one side.
extension NSManagedObjectContext {
  /// Turns values that stay as they were read, beside a change of the relationship's other side, into changes of the
  /// rows as they are now. These conflict with the other writer's, as any other.
  final func completeStaleSides() {
    guard parent == nil else { return }
    var next: [NSManagedObject] = []
    for list in [pendingUpdated, pendingInserted] {
      list.visit { if !$0.layout.oneToOnes.isEmpty { next.append($0) } }
    }
    while let object = next.popLast() {
      guard object.isOf(self), object.hasRow, !object.awaitsDeletion else { continue }
      for property in object.layout.oneToOnes where object.hasChanged(property) {
        guard let inverse = property.inverse else { continue }
        for value in [
          object.currentValue(at: property.slot), object.committedValue(at: property.slot),
        ] {
          guard let target = value.reference.flatMap(registered), isStale(target, inverse)
          else { continue }
          next.append(target)
        }
      }
    }
  }

  /// Whether an object's row has another value than the one that the object was read with; then the object's value is
  /// a change from now on.
  private final func isStale(_ object: NSManagedObject, _ property: PropertyLayout) -> Bool {
    guard object.hasRow, object.hasStoredRow, !object.awaitsInsertion, !object.awaitsDeletion,
      !object.state.contains(.inaccessible), !object.hasChanged(property)
    else { return false }
    let collector = RowCollector()
    guard (try? source.fetchRow(object.identity, into: collector)) == true,
      let row = collector.rows.first, row.version != object.version
    else { return false }
    let values = object.ownValues(ofRow: row.values)
    guard values.indices.contains(property.slot),
      values[property.slot] != object.currentValue(at: property.slot)
    else { return false }
    object.willChange()
    // In a row of its own it stays.
    object.replaceValue(at: property.slot, by: object.currentValue(at: property.slot))
    object.committed[property.slot] = values[property.slot]
    return true
  }
}
