import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

@Suite struct FetchedResultsTests {
  private func people(
    _ context: NSManagedObjectContext, _ list: [(name: String, age: Int16)]
  ) -> [PersonMO] {
    list.map { name, age in
      let person = insert(PersonMO.self, "Person", context)
      (person.name, person.age) = (name, age)
      return person
    }
  }

  private func controller(
    _ context: NSManagedObjectContext, sections: String? = nil, cache: String? = nil,
    _ configure: (NSFetchRequest<PersonMO>) -> Void = { _ in }
  ) -> NSFetchedResultsController<PersonMO> {
    let request = NSFetchRequest<PersonMO>(entityName: "Person")
    request.sortDescriptors =
      (sections.map { [NSSortDescriptor(key: $0, ascending: true)] } ?? [])
      + [NSSortDescriptor(key: "name", ascending: true)]
    configure(request)
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections,
      cacheName: cache)
  }

  @Test func resultsLieInSections() throws {
    let context = try Company.context()
    let made = people(context, [("Cy", 2), ("Bo", 1), ("Al", 2), ("Di", 1)])
    let controller = controller(context, sections: "age")
    #expect(controller.fetchedObjects == nil)
    #expect(controller.sections == nil)
    try controller.performFetch()
    #expect(controller.fetchedObjects?.map(\.name) == ["Bo", "Di", "Al", "Cy"])
    #expect(controller.sections?.map(\.name) == ["1", "2"])
    #expect(controller.sections?.map(\.numberOfObjects) == [2, 2])
    #expect((controller.sections?[1].objects as? [PersonMO])?.map(\.name) == ["Al", "Cy"])
    #expect(controller.object(at: IndexPath(item: 1, section: 0)).name == "Di")
    #expect(controller.indexPath(forObject: made[0]) == [1, 1])
    #expect(controller.sectionIndexTitles == ["1", "2"])
    #expect(controller.section(forSectionIndexTitle: "2", at: 1) == 1)
    #expect(controller.sectionIndexTitle(forSectionName: "smith") == "S")
  }

  /// A delegate of several controllers tells them apart, and sees what objects were before.
  @Test func delegatesKnowTheirControllers() throws {
    final class Delegate: NSFetchedResultsControllerDelegate {
      var one: NSFetchedResultsController<PersonMO>?
      var other: NSFetchedResultsController<PersonMO>?
      var told: [String] = []
      func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
      ) {
        if controller === one { told.append("one") }
        if controller === other { told.append("other") }
        #expect(controller !== one || controller !== other)
      }
      func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange anObject: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType,
        newIndexPath: IndexPath?
      ) {
        let old = (anObject as? PersonMO)?.changedValuesForCurrentEvent()["name"] as? String
        told.append(old ?? "nothing")
      }
    }
    let context = try Company.context()
    let person = people(context, [("Al", 1)])[0]
    try context.save()
    let delegate = Delegate()
    (delegate.one, delegate.other) = (controller(context), controller(context))
    #expect(delegate.one !== delegate.other && delegate.one === delegate.one)
    for made in [delegate.one, delegate.other] {
      try made?.performFetch()
      made?.delegate = delegate
    }
    person.name = "Bo"
    context.processPendingChanges()
    #expect(delegate.told.sorted() == ["Al", "Al", "one", "other"])
  }

  @Test func sectionsMustBeInOnePiece() throws {
    let context = try Company.context()
    _ = people(context, [("a", 1), ("b", 2), ("c", 1)])
    let controller = controller(context, sections: "age") {
      $0.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    }
    let error = #expect(throws: NSError.self) { try controller.performFetch() }
    #expect(error?.localizedDescription.contains("index 2") == true)
  }

  @Test func aDelegateHearsOfEveryKindOfChange() throws {
    let context = try Company.context()
    let made = people(context, [("b", 1), ("d", 1), ("f", 2)])
    let controller = controller(context, sections: "age") {
      $0.predicate = NSPredicate(format: "isActive == YES")
    }
    let log = ChangeLog()
    controller.delegate = log
    try controller.performFetch()

    let new = people(context, [("c", 1)])
    context.processPendingChanges()
    #expect(log.take() == ["will 3", "insert c → 0.1", "did 4"])

    made[0].pay = 1
    context.processPendingChanges()
    #expect(log.take() == ["will 4", "update b 0.0 → 0.0", "did 4"])

    made[0].name = "e"
    context.processPendingChanges()
    #expect(log.take() == ["will 4", "move e 0.0 → 0.2", "did 4"])
    #expect(controller.fetchedObjects?.map(\.name) == ["c", "d", "e", "f"])

    made[2].age = 3
    context.processPendingChanges()
    #expect(
      log.take() == [
        "will 4", "section delete 2 at 1", "section insert 3 at 1", "move f 1.0 → 1.0", "did 4",
      ])

    made[1].isActive = false
    context.delete(new[0])
    context.processPendingChanges()
    #expect(log.take() == ["will 4", "delete c 0.0", "delete d 0.1", "did 2"])

    made[1].isActive = true
    made[0].age = 3
    context.processPendingChanges()
    #expect(
      log.take() == ["will 2", "insert d → 0.0", "move e 0.0 → 1.0", "did 3"])

    // Unrelated changes aren't reported.
    _ = insert(NSManagedObject.self, "Project", context)
    context.processPendingChanges()
    #expect(log.take().isEmpty)
  }

  @Test func otherContextsChangesArrive() throws {
    let container = try Company.container()
    func context() -> NSManagedObjectContext {
      return TestStore.context(container.persistentStoreCoordinator)
    }
    let (mine, theirs) = (context(), context())
    mine.automaticallyMergesChangesFromParent = true
    let controller = controller(mine)
    let log = ChangeLog()
    controller.delegate = log
    try controller.performFetch()
    let person = people(theirs, [("a", 1)])[0]
    try theirs.save()
    #expect(log.take() == ["will 0", "insert a → 0.0", "did 1"])
    person.name = "b"
    try theirs.save()
    #expect(log.take() == ["will 1", "update b 0.0 → 0.0", "did 1"])
    theirs.delete(person)
    try theirs.save()
    #expect(log.take() == ["will 1", "delete b 0.0", "did 0"])
  }

  @Test func differencesTakeThePlaceOfTheOtherMethods() throws {
    final class Delegate: NSFetchedResultsControllerDelegate {
      var list: [NSManagedObjectID] = []
      var sizes: [Int] = []
      var others = 0
      func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
      ) {
        sizes.append(diff.count)
        list = list.applying(diff) ?? []
      }
      func controllerWillChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
      ) { others += 1 }
    }
    let context = try Company.context()
    let made = people(context, [("b", 1), ("d", 1)])
    try context.save()
    let controller = controller(context)
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    delegate.list = controller.fetchedObjects?.map(\.objectID) ?? []
    for step in 0..<40 {
      switch step % 4 {
      case 0: _ = people(context, [("\(step * 7 % 10)", 1)])
      case 1: made[step % 2].name = "\(step * 3 % 10)"
      case 2: made[step % 2].pay += 1
      default:
        made[0].name = "\(step % 7)"
        made[1].name = "\(step % 5)"
      }
      context.processPendingChanges()
      #expect(delegate.list == controller.fetchedObjects?.map(\.objectID))
    }
    #expect(delegate.others == 0)
    #expect(delegate.sizes.count == 40)
  }

  @Test(arguments: [nil, "age"])
  func snapshotsTakeThePlaceOfTheOtherMethods(sections: String?) throws {
    final class Delegate: NSFetchedResultsControllerDelegate {
      var snapshots: [FetchedResultsSnapshot] = []
      var others = 0
      func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
      ) {
        snapshots.append(snapshot)
        #expect(snapshot.numberOfItems == controller.fetchedObjects?.count)
      }
      func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
      ) { others += 1 }
      func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
      ) { others += 1 }
    }
    let context = try Company.context()
    let made = people(context, [("b", 1), ("d", 2)])
    try context.save()
    let controller = controller(context, sections: sections)
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    #expect(delegate.snapshots.count == 1)
    let first = try #require(delegate.snapshots.last)
    #expect(first.itemIdentifiers == made.map(\.objectID))
    #expect(first.sectionIdentifiers == (sections == nil ? [""] : ["1", "2"]))
    #expect(first.reloadedItemIdentifiers.isEmpty)

    made[1].pay += 1
    context.processPendingChanges()
    let second = try #require(delegate.snapshots.last)
    #expect(second.itemIdentifiers == first.itemIdentifiers)
    #expect(second.reloadedItemIdentifiers == [made[1].objectID])

    context.delete(made[0])
    context.processPendingChanges()
    let third = try #require(delegate.snapshots.last)
    #expect(third.itemIdentifiers == [made[1].objectID])
    #expect(third.sectionIdentifiers == (sections == nil ? [""] : ["2"]))
    #expect(third.itemIdentifiers(inSection: sections == nil ? "" : "2") == third.itemIdentifiers)
    #expect(
      third.sectionIdentifier(containingItem: made[1].objectID) == third.sectionIdentifiers[0])
    #expect(third.indexOfItem(made[1].objectID) == 0)
    #expect(third.indexOfItem(made[0].objectID) == nil)
    #expect((delegate.snapshots.count, delegate.others) == (3, 0))
  }

  /// A list that is updated like a table view ends up equal, whatever changed.
  @Test(arguments: 0..<20) func changesAddUp(seed: UInt64) throws {
    var numbers = seed
    func random(_ bound: Int) -> Int {
      numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(numbers >> 33) % bound
    }
    let context = try Company.context()
    var made = people(context, (0..<8).map { ("\($0)", Int16($0 % 3)) })
    let controller = controller(context, sections: "age")
    let table = Table()
    controller.delegate = table
    try controller.performFetch()
    table.load(controller)
    for _ in 0..<30 {
      for _ in 0...random(4) {
        switch random(4) {
        case 0: made += people(context, [("\(random(100))", Int16(random(4)))])
        case 1 where made.count > 2: context.delete(made.remove(at: random(made.count)))
        case 2: made[random(made.count)].age = Int16(random(4))
        default: made[random(made.count)].name = "\(random(100))"
        }
      }
      context.processPendingChanges()
      #expect(
        table.sections == controller.sections?.map { $0.objects as? [PersonMO] ?? [] })
      #expect(table.names == controller.sections?.map(\.name))
    }
  }

  /// Sections that change their order because names change are reported as deleted and inserted.
  @Test(arguments: 0..<20) func sectionsThatMoveAddUp(seed: UInt64) throws {
    var numbers = seed
    func random(_ bound: Int) -> Int {
      numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(numbers >> 33) % bound
    }
    let context = try Company.context()
    let companies = (0..<4).map { number in
      let company = insert(CompanyMO.self, "Company", context)
      company.name = "\(number)"
      return company
    }
    let made = people(context, (0..<10).map { ("\($0)", 1) })
    for (index, person) in made.enumerated() { person.employer = companies[index % 4] }
    let followed = controller(context, sections: "employer.name")
    let table = Table()
    followed.delegate = table
    try followed.performFetch()
    table.load(followed)
    for _ in 0..<10 {
      companies[random(4)].name = "\(random(9))"
      companies[random(4)].name = "\(random(9))"
      made[random(10)].age = Int16(random(9))
      made[random(10)].employer = companies[random(4)]
      context.processPendingChanges()
      #expect(
        table.sections == followed.sections?.map { $0.objects as? [PersonMO] ?? [] })
      #expect(table.names == followed.sections?.map(\.name))
      let fresh = controller(context, sections: "employer.name")
      try fresh.performFetch()
      #expect(table.names == fresh.sections?.map(\.name))
      #expect(followed.fetchedObjects == fresh.fetchedObjects)
    }
  }

  @Test func aCacheIsForOneRequest() throws {
    let context = try Company.context()
    let name = "FetchedResultsTests.cache"
    NSFetchedResultsController<PersonMO>.deleteCache(withName: name)
    try controller(context, cache: name).performFetch()
    try controller(context, cache: name).performFetch()
    let other = controller(context, cache: name) {
      $0.predicate = NSPredicate(format: "age > 3")
    }
    #expect(throws: NSError.self) { try other.performFetch() }
    NSFetchedResultsController<PersonMO>.deleteCache(withName: name)
    try other.performFetch()
    NSFetchedResultsController<PersonMO>.deleteCache(withName: name)
  }

  /// The request stays what it was whatever becomes of an object that its predicate names.
  @Test func aCachedRequestMayNameAnObject() throws {
    let context = try Company.context()
    let name = "FetchedResultsTests.named"
    NSFetchedResultsController<PersonMO>.deleteCache(withName: name)
    defer { NSFetchedResultsController<PersonMO>.deleteCache(withName: name) }
    let boss = people(context, [("Al", 1), ("Bo", 2)])
    let list = NSOrderedSet(array: boss)
    let controller = controller(context, cache: name) {
      $0.predicate = NSPredicate(
        format: "SELF == %@ OR SELF IN %@ OR SELF IN %@ OR SELF IN %@", boss[0], boss, Set(boss),
        list)
    }
    try controller.performFetch()
    boss[0].name = "Renamed"
    try controller.performFetch()
    try context.save()
    try controller.performFetch()
    context.refreshAllObjects()
    try controller.performFetch()
    #expect(controller.fetchedObjects?.count == 2)
    // The same rows are other objects elsewhere, which a set may have in another order.
    let elsewhere = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    elsewhere.persistentStoreCoordinator = context.persistentStoreCoordinator
    let same = try boss.map { try elsewhere.existingObject(with: $0.objectID) }
    try self.controller(elsewhere, cache: name) {
      $0.predicate = NSPredicate(
        format: "SELF == %@ OR SELF IN %@ OR SELF IN %@ OR SELF IN %@", same[0], same, Set(same),
        NSOrderedSet(array: same))
    }.performFetch()
    let other = self.controller(context, cache: name) {
      $0.predicate = NSPredicate(format: "SELF == %@ OR SELF IN %@", boss[1], boss)
    }
    #expect(throws: NSError.self) { try other.performFetch() }
  }
}

/// Records changes.
private final class ChangeLog: NSFetchedResultsControllerDelegate {
  private var lines: [String] = []

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  private func text(_ path: IndexPath?) -> String {
    path.map { " \($0[0]).\($0[1])" } ?? ""
  }

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { lines.append("will \(controller.fetchedObjects?.count ?? -1)") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) { lines.append("section \(type) \(sectionInfo.name) at \(sectionIndex)") }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let name = (anObject as? PersonMO)?.name ?? ""
    let arrow = newIndexPath == nil ? "" : " →\(text(newIndexPath))"
    lines.append("\(type) \(name)\(text(indexPath))\(arrow)")
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { lines.append("did \(controller.fetchedObjects?.count ?? -1)") }
}

/// Applies changes like a table view: deletions by old positions, insertions by new ones.
private final class Table: NSFetchedResultsControllerDelegate {
  var sections: [[PersonMO]] = []
  var names: [String] = []
  private var removedSections: Set<Int> = []
  private var addedSections: [Int: String] = [:]
  private var removed: Set<IndexPath> = []
  private var added: [IndexPath: PersonMO] = [:]

  func load(_ controller: NSFetchedResultsController<PersonMO>) {
    sections = controller.sections?.map { $0.objects as? [PersonMO] ?? [] } ?? []
    names = controller.sections?.map(\.name) ?? []
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    if type == .delete {
      removedSections.insert(sectionIndex)
      #expect(sectionInfo.numberOfObjects == 0)
    }
    if type == .insert { addedSections[sectionIndex] = sectionInfo.name }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard type != .update, let person = anObject as? PersonMO else { return }
    if let indexPath { removed.insert(indexPath) }
    if let newIndexPath { added[newIndexPath] = person }
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    var rows = sections.enumerated().map { section, people in
      people.enumerated().filter { !removed.contains([section, $0.offset]) }.map(\.element)
    }
    rows = rows.enumerated().filter { !removedSections.contains($0.offset) }.map(\.element)
    names = names.enumerated().filter { !removedSections.contains($0.offset) }.map(\.element)
    for (index, name) in addedSections.sorted(by: { $0.key < $1.key }) {
      rows.insert([], at: index)
      names.insert(name, at: index)
    }
    for (path, person) in added.sorted(by: { $0.key < $1.key }) {
      rows[path[0]].insert(person, at: path[1])
    }
    sections = rows
    (removedSections, addedSections, removed, added) = ([], [:], [], [:])
  }

  /// As an object, a number is described without a fraction if it has none.
  @Test(arguments: [NSAttributeType.doubleAttributeType, .floatAttributeType])
  func numbersNameSections(type: NSAttributeType) throws {
    let film = SmallModel.entity("Film", [attribute("rating", type)])
    let context = SmallModel.context(try TestStore.coordinator(SmallModel.model(film)))
    for rating in [3, 4.5, 1e6] { SmallModel.new("Film", ["rating": rating], in: context) }
    try context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Film")
    request.sortDescriptors = [NSSortDescriptor(key: "rating", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "rating",
      cacheName: nil)
    try controller.performFetch()
    #expect(controller.sections?.map(\.name) == ["3", "4.5", "1000000"])
  }
}
