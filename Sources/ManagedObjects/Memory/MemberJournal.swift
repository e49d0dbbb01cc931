/// The additions and removals of a to-many relationship during an event, in order: undo needs no copy of all earlier
/// destinations.
final class MemberJournal {
  private var steps: [(object: NSManagedObject, isAddition: Bool)] = []
  /// The destinations at the beginning of the event, once something else than single additions and removals happened.
  var contents: ToManyMembers.Contents?

  /// Records an addition or a removal.
  func note(_ object: NSManagedObject, isAddition: Bool) {
    if contents == nil { steps.append((object, isAddition)) }
  }

  /// Reconstructs the destinations at the beginning of the event.
  ///
  /// - Parameter present: The current destinations.
  func settle(_ present: @autoclosure () -> ToManyMembers.Contents) {
    guard contents == nil else { return }
    var before = present()
    if !steps.isEmpty {
      var objects = ObjectList(unique: before.objects)
      var removed = ObjectList(unique: before.removed)
      for (object, isAddition) in steps.reversed() {
        if isAddition {
          if !objects.remove(object, keepsOrder: false), !before.isLoaded { removed.append(object) }
        } else if before.isLoaded || !removed.remove(object, keepsOrder: false) {
          objects.append(object)
        }
      }
      (before.objects, before.removed) = (objects.objects, removed.objects)
    }
    (contents, steps) = (before, [])
  }

  /// The net additions and removals; nil if ``contents`` must be compared instead.
  var changes: (added: [NSManagedObject], removed: [NSManagedObject])? {
    guard contents == nil else { return nil }
    var first: [ObjectIdentifier: Bool] = [:]
    var last: [ObjectIdentifier: Bool] = [:]
    var order: [NSManagedObject] = []
    for (object, isAddition) in steps {
      let id = ObjectIdentifier(object)
      if first[id] == nil {
        first[id] = isAddition
        order.append(object)
      }
      last[id] = isAddition
    }
    func changed(_ isAddition: Bool) -> [NSManagedObject] {
      order.filter {
        first[ObjectIdentifier($0)] == isAddition && last[ObjectIdentifier($0)] == isAddition
      }
    }
    return (changed(true), changed(false))
  }
}
