import MomKit

/// The objects of a controller by section, and the reported changes of one update.
struct SectionedList {
  private(set) var sections: [[NSManagedObject]]
  private var removals: [IndexPath] = []
  private var insertions: [(path: IndexPath, object: NSManagedObject)] = []
  private var sectionRemovals: [Int] = []
  private var sectionInsertions: [Int] = []

  init(_ sections: [[NSManagedObject]]) { self.sections = sections }

  /// Records the change of an object.
  ///
  /// - Returns: a description of the inconsistency, if there is one.
  mutating func note(
    _ object: NSManagedObject, _ type: NSFetchedResultsChangeType, at old: IndexPath?,
    to new: IndexPath?
  ) -> String? {
    if type != .insert {
      guard let old, old.count == 2, sections.indices.contains(old[0]),
        sections[old[0]].indices.contains(old[1])
      else { return "\(type): there is no old place" }
      let known = sections[old[0]][old[1]]
      // After a reset of the context, other objects stand for the same rows.
      guard known === object || known.objectID == object.objectID else {
        return "\(type): the old place isn't the object's"
      }
      sections[old[0]][old[1]] = object
      if type != .update { removals.append(old) }
    }
    guard type == .insert || type == .move else { return nil }
    guard let new, new.count == 2 else { return "\(type): there is no new place" }
    insertions.append((new, object))
    return nil
  }

  /// Records that a section was inserted or deleted.
  mutating func note(section: Int, _ type: NSFetchedResultsChangeType) {
    if type == .delete {
      sectionRemovals.append(section)
    } else {
      sectionInsertions.append(section)
    }
  }

  /// Applies the recorded changes: removals at the old index paths, then insertions at the new ones.
  ///
  /// - Returns: a description of the inconsistency, if there is one.
  mutating func apply() -> String? {
    for path in removals.sorted(by: >) { sections[path[0]].remove(at: path[1]) }
    for section in sectionRemovals.sorted(by: >) {
      guard sections.indices.contains(section) else { return "a section goes that isn't there" }
      guard sections[section].isEmpty else { return "a section goes with objects in it" }
      sections.remove(at: section)
    }
    for section in sectionInsertions.sorted() {
      guard section <= sections.count else { return "a section comes beyond the end" }
      sections.insert([], at: section)
    }
    for (path, object) in insertions.sorted(by: { $0.path < $1.path }) {
      guard sections.indices.contains(path[0]), path[1] <= sections[path[0]].count else {
        return "an insertion beyond the end"
      }
      sections[path[0]].insert(object, at: path[1])
    }
    return nil
  }

  func isSame(as other: [[NSManagedObject]]) -> Bool {
    sections.elementsEqual(other) { $0.elementsEqual($1, by: ===) }
  }
}
