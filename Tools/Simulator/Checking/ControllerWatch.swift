import MomKit

/// A fetched results controller, and what its delegate was told: the old list, with the changes that were told
/// applied, must be the new one. After the context has forgotten its objects, others stand for the same rows.
final class ControllerWatch: NSFetchedResultsControllerDelegate {
  let plan: FetchPlan
  private let controller: NSFetchedResultsController<NSManagedObject>
  private var list: [NSManagedObject] = []
  private var removals: [Int] = []
  private var insertions: [(index: Int, object: NSManagedObject)] = []
  private var isTelling = false
  /// What was wrong first.
  private(set) var problem: String?

  init(_ plan: FetchPlan, _ predicate: NSPredicate?, _ context: NSManagedObjectContext) throws {
    self.plan = plan
    let request = NSFetchRequest<NSManagedObject>(entityName: plan.entity)
    plan.configure(request, predicate)
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    controller.delegate = self
    try fetch()
  }

  func fetch() throws {
    try controller.performFetch()
    list = objects
  }

  /// What the controller has.
  var objects: [NSManagedObject] { controller.fetchedObjects ?? [] }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    if isTelling { note("a change within a change") }
    (isTelling, removals, insertions) = (true, [], [])
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let object = anObject as? NSManagedObject else { return note("a change of no object") }
    if !isTelling { note("a change outside of changes") }
    if type != .insert {
      guard let old = indexPath?.item, list.indices.contains(old),
        list[old] === object || list[old].objectID == object.objectID
      else { return note("\(type): the old place isn't the object's") }
      list[old] = object
      if type != .update { removals.append(old) }
    }
    guard type == .insert || type == .move else { return }
    guard let new = newIndexPath?.item else { return note("\(type): there is no new place") }
    insertions.append((new, object))
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    isTelling = false
    for index in removals.sorted(by: >) where list.indices.contains(index) {
      list.remove(at: index)
    }
    for (index, object) in insertions.sorted(by: { $0.index < $1.index }) {
      guard index <= list.count else { return note("an insertion beyond the end") }
      list.insert(object, at: index)
    }
    if !list.elementsEqual(objects, by: ===) {
      note(
        "the changes told make \(list.count) objects of the old list, not the new \(objects.count)")
    }
    list = objects
  }

  /// That nothing changed without being told.
  func check() -> String? {
    if !list.elementsEqual(objects, by: ===) { note("the list changed, and nobody was told") }
    return problem
  }

  private func note(_ text: String) { if problem == nil { problem = text } }
}
