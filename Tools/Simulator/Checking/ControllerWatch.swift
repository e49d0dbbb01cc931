import MomKit

/// A fetched results controller and the changes that it reported to its delegate: applying these to the old list must
/// give the new list.
final class ControllerWatch: NSFetchedResultsControllerDelegate {
  let plan: FetchPlan
  private let controller: NSFetchedResultsController<NSManagedObject>
  private var list = SectionedList([])
  private var isTelling = false
  /// The first problem found.
  private(set) var problem: String?

  init(_ plan: FetchPlan, _ predicate: NSPredicate?, _ context: NSManagedObjectContext) throws {
    self.plan = plan
    let request = NSFetchRequest<NSManagedObject>(entityName: plan.entity)
    plan.configure(request, predicate)
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: plan.section,
      cacheName: nil)
    controller.delegate = self
    try fetch()
  }

  func fetch() throws {
    try controller.performFetch()
    list = SectionedList(sections)
  }

  /// The controller's objects.
  var objects: [NSManagedObject] { controller.fetchedObjects ?? [] }

  private var sections: [[NSManagedObject]] {
    (controller.sections ?? []).map { section in
      (section.objects ?? []).compactMap { $0 as? NSManagedObject }
    }
  }

  // MARK: Delegate methods

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    if isTelling { note("a change within a change") }
    (isTelling, list) = (true, SectionedList(list.sections))
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let object = anObject as? NSManagedObject else { return note("a change of no object") }
    if !isTelling { note("a change outside of changes") }
    if let problem = list.note(object, type, at: indexPath, to: newIndexPath) { note(problem) }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    if plan.section == nil { note("a section came or went where there are none") }
    list.note(section: sectionIndex, type)
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    isTelling = false
    if let problem = list.apply() { note(problem) }
    let present = sections
    if !list.isSame(as: present) {
      note("the changes told make \(list.sections.map(\.count)), not \(present.map(\.count))")
    }
    list = SectionedList(present)
  }

  /// Checks that nothing changed without a report, and that the sections contain the objects in their order.
  func check() -> String? {
    let present = sections
    if !list.isSame(as: present) { note("the list changed, and nobody was told") }
    if !present.joined().elementsEqual(objects, by: ===) { note("the sections aren't the objects") }
    for (section, members) in present.enumerated() {
      for (item, object) in members.enumerated() {
        let path = IndexPath(item: item, section: section)
        if controller.object(at: path) !== object || controller.indexPath(forObject: object) != path
        {
          note("an object isn't at its place")
        }
      }
    }
    return problem
  }

  /// The values of the section's attribute, for each object of each section; only valid once an event is over.
  func sectionValues(_ kind: AttributeKind) -> [[Int?]] {
    guard let key = plan.section else { return [] }
    return sections.map { $0.map { $0.value(forKey: key).flatMap(kind.number) } }
  }

  private func note(_ text: String) { if problem == nil { problem = text } }
}
