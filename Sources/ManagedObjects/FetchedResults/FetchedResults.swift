import DataModels
import Foundation

/// The state shared by the controllers of one fetch, whatever their result type.
final class FetchedResults: @unchecked Sendable {
  // Sendable: used on its context's queue only.
  let request: AnyFetchRequest
  let context: NSManagedObjectContext
  let sectionNameKeyPath: String?
  let cacheName: String?
  weak var delegate: (any NSFetchedResultsControllerDelegate)?
  /// Whether the delegate implements the difference callback; nil until it was tried.
  var delegateTakesDifferences: Bool?
  /// Whether the delegate implements the snapshot callback; nil until it was tried.
  var delegateTakesSnapshots: Bool?
  /// The controller that the program created.
  weak var owner: AnyObject?
  /// The controller that is passed to the delegate.
  private weak var facade: NSFetchedResultsController<any NSFetchRequestResult>?
  /// Copies of the request with other result types; see ``request(of:)``.
  var requestCopies: [RequestCopy] = []

  private(set) var contents: FetchedContents? {
    didSet { generation += 1 }
  }
  /// Incremented when the contents change.
  private(set) var generation = 0
  private var observers: [any NSObjectProtocol] = []
  /// Whether changes couldn't be evaluated because of a read error. The contents are then unchanged except for
  /// deleted objects, and the next event fetches again.
  private(set) var isBehind = false
  /// Whether the delegate is in the middle of a change: not yet told its end.
  private var isTelling = false
  /// The events that wait for the end of a change.
  private var waiting: [[AnyHashable: Any]] = []
  /// Whether the results are fetched again when the context is reset. A fetched results controller waits for the
  /// program to do that, as in Core Data, and reports nothing until then.
  var followsResets = false
  /// Whether the results keep to the request's limit and offset after changes. Those of a fetched results controller
  /// don't, as in Core Data.
  var keepsLimits = false
  private var keepsLimit: Bool {
    keepsLimits && (request.fetchLimit > 0 || request.fetchOffset > 0)
  }
  /// Whether the context has forgotten the contents' objects since.
  private var isForgotten = false

  init(
    request: AnyFetchRequest, context: NSManagedObjectContext, sectionNameKeyPath: String?,
    cacheName: String?
  ) {
    self.request = request
    self.context = context
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
  }

  deinit { NotificationCenter.default.removeLater(observers) }

  // MARK: Fetching

  /// - Parameter isExpected: whether an object has the controller's result type.
  func performFetch(_ isExpected: (NSObject) -> Bool) throws {
    matchRequestCopies()
    if let cacheName {
      try SectionCaches.shared.check(
        cacheName, SectionCaches.Use(request, sectionNameKeyPath: sectionNameKeyPath))
    }
    // Changes up to this point are included in the results and not reported later.
    context.processPendingChanges()
    let objects = try context.results(of: request).compactMap { $0 as? NSObject }
    if let stranger = objects.first(where: { !isExpected($0) }) {
      throw CoreDataError.make(
        NSCoreDataError,
        "The request for '\(request.entityName ?? "")' gives \(type(of: stranger)), which is not "
          + "the result type of its controller.")
    }
    let made = FetchedContents(objects, names: sectionNames(of: objects))
    if let index = made.firstOutOfOrder {
      throw CoreDataError.make(
        NSCoreDataError,
        "The fetched object at index \(index) has an out of order section name "
          + "'\(made.names[index])'. Objects must be sorted by section name.")
    }
    (contents, isBehind, isForgotten) = (made, false, false)
    // Nor are events that wait for the delegate, which has fetched in a callback.
    waiting = []
    observe()
    if let delegate, request.resultType == .managedObjectResultType {
      _ = hasTaken(delegate, made, after: nil)
    }
  }

  private func sectionNames(of objects: [NSObject]) -> [String]? {
    guard sectionNameKeyPath != nil else { return nil }
    return objects.map(sectionName)
  }

  private func sectionName(of object: NSObject) -> String {
    guard let sectionNameKeyPath else { return "" }
    let value: Any? =
      switch object {
      case let object as NSManagedObject: object.value(forKeyPath: sectionNameKeyPath)
      case let values as NSDictionary: values[sectionNameKeyPath]
      default: nil
      }
    // Core Data takes the description of a number as an object, whose fraction ends with its last digit.
    if let number = value as? NSNumber, !(number is NSDecimalNumber) {
      switch String(cString: number.objCType) {
      case "d": return String(format: "%0.16g", number.doubleValue)
      case "f": return String(format: "%0.7g", number.doubleValue)
      default: break
      }
    }
    return value.map { "\($0)" } ?? ""
  }

  // MARK: Sections

  func section(_ index: Int, of contents: FetchedContents) -> any NSFetchedResultsSectionInfo {
    let section = contents.sections[index]
    return FetchedSection(
      name: section.name,
      indexTitle: sectionNameKeyPath == nil ? nil : indexTitle(ofSection: section.name),
      members: contents.list[section.range])
  }

  var indexTitles: [String] {
    guard sectionNameKeyPath != nil, let contents else { return [] }
    var seen: Set<String> = []
    return contents.sections.compactMap { indexTitle(ofSection: $0.name) }
      .filter { seen.insert($0).inserted }
  }

  func indexTitle(ofSection name: String) -> String? {
    guard let delegate else { return Self.indexTitle(of: name) }
    return delegate.controller(controllerForDelegate(), sectionIndexTitleForSectionName: name)
  }

  static func indexTitle(of name: String) -> String? { name.first.map { $0.uppercased() } }

  // MARK: Changes

  private func observe() {
    guard observers.isEmpty else { return }
    context.add(self)
    observe(.NSManagedObjectContextObjectsDidChange) { $0.follow($1) }
    // A limit counts saved rows, with unsaved changes laid over them.
    if keepsLimit { observe(.NSManagedObjectContextDidSave) { results, _ in results.limitAnew() } }
  }

  private func observe(
    _ name: Notification.Name,
    _ take: @escaping @Sendable (FetchedResults, [AnyHashable: Any]) -> Void
  ) {
    observers.append(
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        [weak self] notification in
        if let self { take(self, notification.userInfo ?? [:]) }
      })
  }

  /// Fetches again what a save has moved in or out of a limited request's results.
  private func limitAnew() {
    guard !isTelling else {
      fallBehind()
      return waiting.append([:])
    }
    guard let delegate, let contents, !isForgotten else { return }
    fetchAnew(contents, delegate, changed: [])
  }

  /// The objects in a notification under some keys.
  private static func objects(
    _ userInfo: [AnyHashable: Any], _ keys: String...
  ) -> [NSManagedObject] {
    keys.flatMap { Array(userInfo[$0] as? Set<NSManagedObject> ?? []) }
  }

  /// The query to follow; nil if nothing is notified of changes.
  var followedQuery: RowQuery? {
    guard delegate != nil, contents != nil, !isForgotten,
      request.resultType == .managedObjectResultType
    else { return nil }
    return try? context.query(for: request)
  }

  /// Marks the contents as out of date, so that the next event determines what changed.
  func fallBehind() { isBehind = true }

  /// Applies the context's changes, one event after the other: an event in the middle of a change that is being told is
  /// told after that.
  private func follow(_ userInfo: [AnyHashable: Any]) {
    if userInfo[NSInvalidatedAllObjectsKey] != nil, !followsResets { isForgotten = true }
    waiting.append(userInfo)
    while !isTelling, !waiting.isEmpty { apply(waiting.removeFirst()) }
  }

  /// Applies the context's changes. Read errors aren't reported, because the program hasn't requested a read.
  private func apply(_ userInfo: [AnyHashable: Any]) {
    let isReset = userInfo[NSInvalidatedAllObjectsKey] != nil
    guard let delegate, let old = contents, !isForgotten else { return }
    // An observer that was told before may have taken a deletion back.
    let deleted = Self.objects(userInfo, NSDeletedObjectsKey).filter {
      $0.awaitsDeletion || $0.context !== context
    }
    let gone = Set(deleted.map(ObjectIdentifier.init))
    let updated = Set(
      Self.objects(userInfo, NSUpdatedObjectsKey, NSRefreshedObjectsKey).map(ObjectIdentifier.init))
    if isBehind || isReset {
      fetchAnew(old, delegate)
      if isBehind { exclude(gone, of: old, telling: delegate) }
      return
    }
    guard let query = followedQuery else { return }
    // What moves in or out at the ends isn't among the results and the changes.
    if keepsLimit {
      return fetchAnew(old, delegate, changed: updated)
    }
    let touched = Self.objects(
      userInfo, NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey
    ).filter { query.includes($0.layout) && !gone.contains(ObjectIdentifier($0)) }
    // Their rows are loaded together if the predicate or the sort order needs them.
    context.remember(touched, of: query.layout, batchSize: 500)
    // A changed or deleted object may change which others match.
    if EntityAggregates(request.predicate, of: query.layout) != nil,
      !touched.isEmpty || deleted.contains(where: { query.includes($0.layout) })
    {
      return fetchAnew(old, delegate, changed: updated)
    }
    guard !touched.isEmpty || gone.contains(where: old.contains) else { return }
    var new: FetchedContents?
    var change: ContentsChange?
    let unread = context.collectingReadErrors {
      // What another writer has inserted or changed may have been deleted since, which only reading it shows.
      touched.visit { $0.wake() }
      // While events wait, others than the touched ones may have moved, too.
      let few =
        waiting.isEmpty
        ? fewTouched(touched, gone: deleted, updated: updated, of: old, query) : nil
      new = few?.contents ?? contents(from: old, touched: touched, gone: gone, query: query)
      change = few?.change
    }
    guard unread == nil, let new else {
      isBehind = true
      return exclude(gone, of: old, telling: delegate)
    }
    let told = change ?? ContentsChange(from: old, to: new, changed: updated)
    if !told.isEmpty { notify(delegate, of: told, from: old, to: new) }
  }

  /// Removes deleted objects, the only change that is certain while something can't be read.
  private func exclude(
    _ gone: Set<ObjectIdentifier>, of old: FetchedContents,
    telling delegate: any NSFetchedResultsControllerDelegate
  ) {
    let new = old.keeping { !gone.contains(ObjectIdentifier($0)) }
    let change = ContentsChange(from: old, to: new, changed: [])
    if !change.isEmpty { notify(delegate, of: change, from: old, to: new) }
  }

  /// The contents after a few of many objects changed; nil if other objects may be affected.
  private func fewTouched(
    _ touched: [NSManagedObject], gone: [NSManagedObject], updated: Set<ObjectIdentifier>,
    of old: FetchedContents, _ query: RowQuery
  ) -> TouchedContents? {
    let order = ObjectOrder(query.sortDescriptors)
    guard order.isOwn(to: query.layout), !namesAreOthers else { return nil }
    return TouchedContents(
      old, touched: touched, gone: gone, updated: updated,
      TouchedContents.Rules(
        order: order,
        sectionName: sectionNameKeyPath == nil ? nil : { [self] in sectionName(of: $0) },
        fits: fitting(query)))
  }

  /// Whether section names belong to other objects, and may change without the fetched objects.
  private var namesAreOthers: Bool { sectionNameKeyPath?.contains(".") == true }

  /// A test whether an object belongs to the results.
  private func fitting(_ query: RowQuery) -> (NSManagedObject) -> Bool {
    let condition = context.condition(of: query)
    // If the predicate can't be evaluated, the next fetch throws; an error here couldn't be caught. The context may
    // still have objects of a store that was removed, besides objects of the same rows in another store.
    let stores = context.persistentStoreCoordinator?.persistentStores.map(\.reference) ?? []
    return { object in
      object.context != nil && !object.awaitsDeletion
        && object.storeReference.map { own in stores.contains { $0 === own } } ?? true
        && query.includes(object)
        && (condition.map { (try? $0.isSatisfied(by: object)) ?? false } ?? true)
    }
  }

  /// The contents after some objects were touched, and others are gone.
  private func contents(
    from old: FetchedContents, touched: [NSManagedObject], gone: Set<ObjectIdentifier>,
    query: RowQuery
  ) -> FetchedContents {
    let changed = Set(touched.map(ObjectIdentifier.init))
    let fits = fitting(query)
    // A name that other objects have may be another without its object's having changed.
    var names = Dictionary(
      !namesAreOthers ? Array(zip(old.objects.map(ObjectIdentifier.init), old.names)) : [],
      uniquingKeysWith: { first, _ in first }
    )
    var objects = old.objects.compactMap { $0 as? NSManagedObject }.filter { object in
      let id = ObjectIdentifier(object)
      return !gone.contains(id) && (!changed.contains(id) || fits(object))
    }
    var present = Set(objects.map(ObjectIdentifier.init))
    for object in touched {
      names[ObjectIdentifier(object)] = nil
      let isNew = old.position(of: object) == nil && fits(object)
      if isNew, present.insert(ObjectIdentifier(object)).inserted { objects.append(object) }
    }
    objects = ObjectOrder(query.sortDescriptors).sorted(objects)
    return FetchedContents(
      objects,
      names: sectionNameKeyPath.map { _ in
        objects.map { names[ObjectIdentifier($0)] ?? sectionName(of: $0) }
      }
    ).inOrder()
  }

  /// Fetches again, after the context has forgotten its objects, or after a read error left the contents out of date.
  ///
  /// - Parameter changed: the objects that may have changed; nil for all.
  private func fetchAnew(
    _ old: FetchedContents, _ delegate: any NSFetchedResultsControllerDelegate,
    changed: Set<ObjectIdentifier>? = nil
  ) {
    guard request.resultType == .managedObjectResultType else { return }
    var fetched: [NSManagedObject]?
    var names: [String]?
    let unread = context.collectingReadErrors {
      fetched = try? context.results(of: request).compactMap { $0 as? NSManagedObject }
      names = fetched.flatMap { sectionNames(of: $0) }
    }
    isBehind = unread != nil || fetched == nil
    guard !isBehind, let objects = fetched else { return }
    let new = FetchedContents(objects, names: names).inOrder()
    let present = Dictionary(
      objects.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    let replaced = old.objects.map { object in
      (object as? NSManagedObject).flatMap { present[$0.objectID] } ?? object
    }
    let before = FetchedContents(
      replaced, names: sectionNameKeyPath == nil ? nil : old.names)
    let change = ContentsChange(
      from: before, to: new, changed: changed ?? Set(objects.map(ObjectIdentifier.init)))
    if change.isEmpty {
      contents = new
    } else {
      notify(delegate, of: change, from: before, to: new)
    }
  }

  private func notify(
    _ delegate: any NSFetchedResultsControllerDelegate, of change: ContentsChange,
    from old: FetchedContents, to new: FetchedContents
  ) {
    let controller = controllerForDelegate()
    contents = new
    if hasTaken(delegate, new, after: change) { return }
    contents = old
    if sectionNameKeyPath == nil, delegateTakesDifferences != false {
      contents = new
      delegateTakesDifferences = true
      delegate.controller(controller, didChangeContentWith: change.difference(old, new))
      // The default implementation records that the delegate doesn't implement the method.
      if delegateTakesDifferences == true { return }
      contents = old
    }
    tell(delegate, change, from: old, to: new)
    // In its last callback, a change is over: what happens there is followed at once.
    delegate.controllerDidChangeContent(controller)
  }

  /// Tells a delegate of a change but for its end.
  private func tell(
    _ delegate: any NSFetchedResultsControllerDelegate, _ change: ContentsChange,
    from old: FetchedContents, to new: FetchedContents
  ) {
    let controller = controllerForDelegate()
    isTelling = true
    defer { isTelling = false }
    let told = generation
    delegate.controllerWillChangeContent(controller)
    // A delegate that fetches in a callback is told no more of what it has fetched.
    guard generation == told else { return }
    contents = new
    for index in change.deletedSections {
      let name = old.sections[index].name
      // The section is empty now.
      let section = FetchedSection(
        name: name, indexTitle: indexTitle(ofSection: name), members: [])
      delegate.controller(
        controller, didChange: section, atSectionIndex: index, for: .delete)
    }
    for index in change.insertedSections {
      delegate.controller(
        controller, didChange: section(index, of: new), atSectionIndex: index, for: .insert)
    }
    for part in change.objects where generation == told + 1 {
      delegate.controller(
        controller, didChange: part.object, at: part.old.map(old.indexPath), for: part.type,
        newIndexPath: part.new.map(new.indexPath))
    }
  }

  /// Passes a snapshot to the delegate; returns whether the delegate implements the callback, which its default
  /// implementation denies.
  private func hasTaken(
    _ delegate: any NSFetchedResultsControllerDelegate, _ contents: FetchedContents,
    after change: ContentsChange?
  ) -> Bool {
    guard delegateTakesSnapshots != false else { return false }
    delegateTakesSnapshots = true
    delegate.controller(
      controllerForDelegate(),
      didChangeContentWith: FetchedResultsSnapshot(contents, after: change))
    return delegateTakesSnapshots == true
  }

  private func controllerForDelegate() -> NSFetchedResultsController<any NSFetchRequestResult> {
    if let owner = owner as? NSFetchedResultsController<any NSFetchRequestResult> { return owner }
    if let facade { return facade }
    let made = NSFetchedResultsController<any NSFetchRequestResult>(self)
    facade = made
    return made
  }
}
