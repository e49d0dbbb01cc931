import DataModels

/// The references of a save that nothing but the store can tell from references to what is gone.
///
/// With an inverse, a destination changes with the object that refers to it; if another writer has deleted it, that is a
/// conflict, and its resolution clears the reference. Without one, nothing notices, and the rule "no action" clears
/// nothing: whether the destinations exist must be looked up. So it must where the destination has come to be as it was
/// read, and isn't written.
///
/// What a save deletes is cleared before it. If a program sets such a reference again, the row doesn't differ from what
/// was read, but it leads to what the save deletes. That it was read after another writer had set it is a conflict.
@_spi(Engines) extension StoreChanges {
  /// A relationship of a saved row that newly refers to another row.
  public struct Reference {
    /// The row that has the relationship.
    public let row: RowKey
    /// The relationship.
    public let property: PropertyLayout
    /// The permanent identity of the destination.
    public let target: NSManagedObjectID
  }

  /// The new references by relationships that the deletion of a destination doesn't clear, and the unchanged ones to rows
  /// that the changes delete; none of changes that weren't made by objects, such as those of a store's copy.
  public var unguardedReferences: [Reference] {
    guard areOfObjects else { return [] }
    var references: [Reference] = []
    for row in inserted where row.layout.hasStoredToOnes && row.hasValues {
      // What was in the store before may lead to what was deleted with it.
      if row.version != 0 {
        note(row, row.layout.toOnes.filter { !$0.isTransient }, in: &references)
      } else if !row.layout.unguardedToOnes.isEmpty {
        note(row, row.layout.unguardedToOnes, in: &references)
      }
    }
    for row in updated where row.layout.hasStoredToOnes && row.mayDiffer {
      note(row, row.layout.unguardedToOnes.filter { row.differs(at: $0.slot) }, in: &references)
    }
    for change in members where !change.property.isClearedByDeletions {
      for target in change.added {
        note(target, from: change.owner, by: change.property, in: &references)
      }
    }
    if !deleted.isEmpty { noteDeletedDestinations(in: &references) }
    noteUnwrittenDestinations(in: &references)
    return references
  }

  private func noteUnwrittenDestinations(in references: inout [Reference]) {
    lazy var written = writtenRows
    for row in updated where row.layout.hasStoredToOnes && row.mayDiffer {
      for property in row.layout.guardedToOnes where row.differs(at: property.slot) {
        guard let target = row[property.slot].reference,
          !written.contains(RowKey(target.successor ?? target))
        else { continue }
        note(target, from: row, by: property, in: &references)
      }
    }
  }

  /// The rows whose absence is a conflict, and those that the save makes or deletes.
  private var writtenRows: Set<RowKey> {
    let differing = updated.lazy.filter { row in
      row.mayDiffer && row.layout.values.contains { row.differs(at: $0.slot) }
    }
    var rows = Set(differing.map { RowKey($0) })
    for list in [inserted, deleted, guarded] { rows.formUnion(list.lazy.map { RowKey($0) }) }
    rows.formUnion(members.lazy.map { RowKey($0.owner) })
    return rows
  }

  private func noteDeletedDestinations(in references: inout [Reference]) {
    let gone = Set(deleted.map { RowKey($0) })
    for row in updated where row.hasValues {
      for property in row.layout.toOnes
      where property.isClearedByDeletions && !row.differs(at: property.slot) {
        guard let target = row[property.slot].reference, gone.contains(RowKey(target)) else {
          continue
        }
        note(target, from: row, by: property, in: &references)
      }
    }
  }

  private func note(
    _ row: RowChange, _ properties: [PropertyLayout], in references: inout [Reference]
  ) {
    for property in properties {
      guard let target = row[property.slot].reference else { continue }
      note(target, from: row, by: property, in: &references)
    }
  }

  private func note(
    _ target: NSManagedObjectID, from row: RowChange, by property: PropertyLayout,
    in references: inout [Reference]
  ) {
    references.append(
      Reference(row: RowKey(row), property: property, target: target.successor ?? target))
  }
}
