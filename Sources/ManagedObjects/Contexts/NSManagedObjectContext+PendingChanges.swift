/// Unsaved changes in the results of fetches.
extension NSManagedObjectContext {
  /// Whether there are unsaved changes that may concern a query.
  final func hasPendingChanges(of query: RowQuery) -> Bool {
    let isDeleted = { (object: NSManagedObject) in
      object.awaitsDeletion && query.includes(object.layout)
    }
    if let first = firstDeleted(where: query.includes),
      deleted[first...].contains(where: isDeleted)
    {
      return true
    }
    let first = unsavedIndex?.beginnings(in: self) { query.includes($0) } ?? (0, 0)
    let isInserted = { (object: NSManagedObject) in
      object.awaitsInsertion && query.includes(object.layout)
    }
    let isUpdated = { (object: NSManagedObject) in object.awaitsUpdate && query.includes(object) }
    return first.inserted.map { inserted[$0...].contains(where: isInserted) } ?? false
      || first.updated.map { updated[$0...].contains(where: isUpdated) } ?? false
  }

  /// Overlays unsaved changes on the store's results.
  ///
  /// As observed in Core Data: the store applies the limit and offset to saved values; matching changed and new
  /// objects are added wherever they sort; then the limit is applied again, but not the offset.
  final func overlay(
    _ objects: [NSManagedObject], _ query: RowQuery
  ) throws -> [NSManagedObject] {
    guard hasPendingChanges(of: query) else { return objects }
    let condition = condition(of: query)
    let kept = objects.filter { !$0.awaitsDeletion }
    let found =
      try foundByIndex(kept, for: query, where: condition)
      ?? foundByVisiting(kept, for: query, where: condition)
    let sorted = sorted(found, query)
    return query.limit > 0 ? Array(sorted.prefix(query.limit)) : sorted
  }

  /// The store's results with the unsaved changes among all unsaved objects.
  private final func foundByVisiting(
    _ objects: [NSManagedObject], for query: RowQuery, where condition: FetchCondition?
  ) throws -> [NSManagedObject] {
    var found = objects
    let changed = updated.filter { $0.awaitsUpdate && query.includes($0) }
    // Without a predicate, a limit and an offset, the store has returned all rows except those deleted by other
    // writers.
    let isWhole = condition == nil && query.limit == 0 && query.offset == 0
    if !changed.isEmpty, !isWhole || found.count(where: { $0.awaitsUpdate }) < changed.count {
      let fitting = try changed.filter { try condition?.isSatisfied(by: $0) ?? true }
      let fit = Set(fitting.map(ObjectIdentifier.init))
      found.removeAll { $0.awaitsUpdate && !fit.contains(ObjectIdentifier($0)) }
      let present = Set(found.map(ObjectIdentifier.init))
      found += fitting.filter { !present.contains(ObjectIdentifier($0)) }
    }
    let isMeant = { (object: NSManagedObject) in object.awaitsInsertion && query.includes(object) }
    found +=
      try condition?.satisfied(among: inserted, where: isMeant) ?? inserted.filter(isMeant)
    return found
  }

  /// The same among those unsaved objects that the index finds; nil if it can't tell.
  private final func foundByIndex(
    _ objects: [NSManagedObject], for query: RowQuery, where condition: FetchCondition?
  ) throws -> [NSManagedObject]? {
    guard let condition, !condition.needs.isEmpty, let index = unsavedIndex else { return nil }
    let candidates = index.fewestCandidates(condition.needs, of: query.layout, in: self)
    func fits(_ object: NSManagedObject) throws -> Bool {
      try query.includes(object) && condition.isSatisfied(by: object)
    }
    let found = try objects.filter { try !$0.awaitsUpdate || fits($0) }
    let present = Set(found.map(ObjectIdentifier.init))
    let changed = try candidates.filter {
      try $0.awaitsUpdate && !present.contains(ObjectIdentifier($0)) && fits($0)
    }
    let new = try candidates.filter { try $0.awaitsInsertion && fits($0) }
    return found + index.inOrder(changed, of: updated) + index.inOrder(new, of: inserted)
  }

  /// The index of unsaved objects; nil while there are few.
  private final var unsavedIndex: UnsavedIndex? {
    guard inserted.count + updated.count > UnsavedIndex.threshold else { return nil }
    if let index = unsaved.index { return index }
    let index = UnsavedIndex()
    unsaved.index = index
    return index
  }
}
