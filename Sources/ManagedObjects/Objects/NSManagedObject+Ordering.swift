import Foundation

/// Ordered to-many relationships: changes whose cost is proportional to what they change.
extension NSManagedObject {
  /// Inserts a destination at an index, unless it is one already, and sets its inverse.
  final func insert(_ target: NSManagedObject, at index: Int, in property: PropertyLayout) {
    checkRelatable(target, property)
    wake()
    var members = loadedMembers(property)
    checkIndex(index, upTo: members.count, "insertObject:atIndex:")
    guard !has(target, among: &members, property) else { return }
    willChange()
    // Fewer are left if they were read again.
    guard members.insert(target, at: min(index, members.count)) else { return }
    linkBack(target, property)
    tellObservers()
  }

  /// Removes the destination at an index, and clears its inverse.
  final func removeMember(at index: Int, of property: PropertyLayout) {
    let members = loadedMembers(property)
    checkIndex(index, upTo: members.count - 1, "removeObjectAtIndex:")
    // Don't hold the array here: the relationship would have to copy it.
    let target = members.objects[index]
    remove(target, from: property)
  }

  /// Moves destinations, keeping their order, to an index that is counted without them.
  final func moveMembers(at indexes: IndexSet, to index: Int, of property: PropertyLayout) {
    let members = loadedMembers(property)
    guard let last = indexes.last else { return }
    checkIndex(last, upTo: members.count - 1, "moveObjectsAtIndexes:toIndex:")
    checkIndex(index, upTo: members.count - indexes.count, "moveObjectsAtIndexes:toIndex:")
    willChange()
    members.move(indexes, to: index)
    tellObservers()
  }

  private final func checkIndex(_ index: Int, upTo end: Int, _ selector: String) {
    precondition(
      index >= 0 && index <= end,
      "-[NSMutableOrderedSet \(selector)]: index \(index) is beyond the relationship's "
        + "\(end < 0 ? "end: it is empty" : "objects")")
  }
}
