import DataModels
import Foundation

/// What the controllers of one fetch have in common, whatever the type of their results.
final class FetchedResults: @unchecked Sendable {
  let request: AnyFetchRequest
  let context: NSManagedObjectContext
  let sectionNameKeyPath: String?
  let cacheName: String?
  weak var delegate: (any NSFetchedResultsControllerDelegate)?
  /// Whether the delegate takes all changes at once; nil until it was tried.
  var delegateTakesDifferences: Bool?
  /// The controller the program made.
  weak var owner: AnyObject?
  /// The controller the delegate was given.
  private weak var facade: NSFetchedResultsController<any NSFetchRequestResult>?

  private(set) var contents: FetchedContents? {
    didSet { generation += 1 }
  }
  /// How often the contents changed.
  private(set) var generation = 0
  private var observer: (any NSObjectProtocol)?

  init(
    request: AnyFetchRequest, context: NSManagedObjectContext, sectionNameKeyPath: String?,
    cacheName: String?
  ) {
    self.request = request
    self.context = context
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
  }

  deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }

  // MARK: Fetching

  /// - Parameter isExpected: whether an object is of the type that the controller gives.
  func performFetch(_ isExpected: (NSObject) -> Bool) throws {
    if let cacheName {
      try SectionCaches.shared.check(
        cacheName, SectionCaches.Use(request, sectionNameKeyPath: sectionNameKeyPath))
    }
    // What changed until now is in the results, and isn't told of later.
    context.processPendingChanges()
    let objects = try context.results(of: request).compactMap { $0 as? NSObject }
    if let stranger = objects.first(where: { !isExpected($0) }) {
      throw CoreDataError.make(
        NSCoreDataError,
        "The request for '\(request.entityName ?? "")' gives \(type(of: stranger)), which is not "
          + "what its controller is declared to give.")
    }
    let made = FetchedContents(objects, names: sectionNames(of: objects))
    if let index = made.firstOutOfOrder {
      throw CoreDataError.make(
        NSCoreDataError,
        "The fetched object at index \(index) has an out of order section name "
          + "'\(made.names[index])'. Objects must be sorted by section name.")
    }
    contents = made
    observe()
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
    return value.map { "\($0)" } ?? ""
  }

  // MARK: Sections

  func section(_ index: Int, of contents: FetchedContents) -> any NSFetchedResultsSectionInfo {
    let section = contents.sections[index]
    return FetchedSection(
      name: section.name,
      indexTitle: sectionNameKeyPath == nil ? nil : indexTitle(ofSection: section.name),
      members: contents.objects[section.range])
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
    guard observer == nil else { return }
    context.add(self)
    observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { [weak self] notification in
      self?.follow(notification.userInfo ?? [:])
    }
  }

  /// The objects under some keys of a notification.
  private static func objects(
    _ userInfo: [AnyHashable: Any], _ keys: String...
  ) -> [NSManagedObject] {
    keys.flatMap { Array(userInfo[$0] as? Set<NSManagedObject> ?? []) }
  }

  /// What is fetched; nil when nobody is told of changes.
  var followedQuery: RowQuery? {
    guard delegate != nil, contents != nil, request.resultType == .managedObjectResultType else {
      return nil
    }
    return try? context.query(for: request)
  }

  /// Takes what changed in the context into account.
  private func follow(_ userInfo: [AnyHashable: Any]) {
    guard let delegate, let old = contents else { return }
    if userInfo[NSInvalidatedAllObjectsKey] != nil { return fetchAnew(old, delegate) }
    guard let query = followedQuery else { return }
    let gone = Set(Self.objects(userInfo, NSDeletedObjectsKey).map(ObjectIdentifier.init))
    let touched = Self.objects(
      userInfo, NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey
    ).filter { query.includes($0.layout) && !gone.contains(ObjectIdentifier($0)) }
    // Their rows come together, should the predicate or the order ask for them.
    context.remember(touched, of: query.layout, batchSize: 500)
    let changed = Set(touched.map(ObjectIdentifier.init))
    guard !touched.isEmpty || old.objects.contains(where: { gone.contains(ObjectIdentifier($0)) })
    else { return }
    let condition = context.condition(of: query)
    // Where the predicate can't be answered the next fetch says so; nobody could catch it here.
    // The context may know objects yet of a store that was removed, beside others of the same rows.
    let stores = context.persistentStoreCoordinator?.persistentStores.map(\.reference) ?? []
    let fits = { (object: NSManagedObject) in
      object.context != nil && !object.isDeleted
        && object.storeReference.map { own in stores.contains { $0 === own } } ?? true
        && (condition.map { (try? $0.isSatisfied(by: object)) ?? false } ?? true)
    }
    var names = Dictionary(
      zip(old.objects.map(ObjectIdentifier.init), old.names),
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
    let new = FetchedContents(
      objects,
      names: sectionNameKeyPath.map { _ in
        objects.map { names[ObjectIdentifier($0)] ?? sectionName(of: $0) }
      }
    ).inOrder()
    let updated = Set(
      Self.objects(userInfo, NSUpdatedObjectsKey, NSRefreshedObjectsKey).map(ObjectIdentifier.init))
    let change = ContentsChange(from: old, to: new, changed: updated)
    if !change.isEmpty { notify(delegate, of: change, from: old, to: new) }
  }

  /// Takes other objects for the same rows, after the context has forgotten those it had: Core Data's
  /// own controllers are of no use then until they fetch, which programs forget.
  private func fetchAnew(
    _ old: FetchedContents, _ delegate: any NSFetchedResultsControllerDelegate
  ) {
    guard request.resultType == .managedObjectResultType else { return }
    let objects = (try? context.results(of: request).compactMap { $0 as? NSManagedObject }) ?? []
    let new = FetchedContents(objects, names: sectionNames(of: objects)).inOrder()
    let present = Dictionary(
      objects.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    let replaced = old.objects.map { object in
      (object as? NSManagedObject).flatMap { present[$0.objectID] } ?? object
    }
    let before = FetchedContents(
      replaced, names: sectionNameKeyPath == nil ? nil : old.names)
    let change = ContentsChange(
      from: before, to: new, changed: Set(objects.map(ObjectIdentifier.init)))
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
    if sectionNameKeyPath == nil, delegateTakesDifferences != false {
      contents = new
      delegateTakesDifferences = true
      delegate.controller(controller, didChangeContentWith: change.difference(old, new))
      // The method's default says that the delegate doesn't have it.
      if delegateTakesDifferences == true { return }
      contents = old
    }
    delegate.controllerWillChangeContent(controller)
    contents = new
    for index in change.deletedSections {
      delegate.controller(
        controller, didChange: section(index, of: old), atSectionIndex: index, for: .delete)
    }
    for index in change.insertedSections {
      delegate.controller(
        controller, didChange: section(index, of: new), atSectionIndex: index, for: .insert)
    }
    for part in change.objects {
      delegate.controller(
        controller, didChange: part.object, at: part.old.map(old.indexPath), for: part.type,
        newIndexPath: part.new.map(new.indexPath))
    }
    delegate.controllerDidChangeContent(controller)
  }

  private func controllerForDelegate() -> NSFetchedResultsController<any NSFetchRequestResult> {
    if let owner = owner as? NSFetchedResultsController<any NSFetchRequestResult> { return owner }
    if let facade { return facade }
    let made = NSFetchedResultsController<any NSFetchRequestResult>(self)
    facade = made
    return made
  }
}

extension FetchedContents {
  /// The same with sections in one piece each.
  func inOrder() -> FetchedContents {
    guard firstOutOfOrder != nil else { return self }
    var places: [String: [Int]] = [:]
    var order: [String] = []
    for (index, name) in names.enumerated() {
      if places[name] == nil { order.append(name) }
      places[name, default: []].append(index)
    }
    let indexes = order.flatMap { places[$0] ?? [] }
    return FetchedContents(indexes.map { objects[$0] }, names: indexes.map { names[$0] })
  }
}

extension ContentsChange {
  /// The changes of objects as a difference of identities.
  func difference(
    _ old: FetchedContents, _ new: FetchedContents
  ) -> CollectionDifference<NSManagedObjectID> {
    var changes: [CollectionDifference<NSManagedObjectID>.Change] = []
    for part in objects {
      guard let id = (part.object as? NSManagedObject)?.objectID else { continue }
      if let old = part.old {
        changes.append(.remove(offset: old, element: id, associatedWith: part.new))
      }
      if let new = part.new {
        changes.append(.insert(offset: new, element: id, associatedWith: part.old))
      }
    }
    return CollectionDifference(changes) ?? [].difference(from: [])
  }
}
