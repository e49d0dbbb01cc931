import DataModels
import Foundation

/// Keeps the results of a fetch, in sections if wanted, up to date with a context, and tells a
/// delegate what changed.
///
/// ```swift
/// let request = NSFetchRequest<Person>(entityName: "Person")
/// request.sortDescriptors = [NSSortDescriptor(key: "team", ascending: true)]
/// let controller = NSFetchedResultsController(
///   fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "team",
///   cacheName: nil)
/// controller.delegate = self
/// try controller.performFetch()
/// let first = controller.object(at: IndexPath(item: 0, section: 0))
/// ```
///
/// Changes are noticed when the context processes them, with unsaved ones. Without a delegate the
/// results stay as they were fetched. Where the store can't be read then, they stay as they are, but for objects
/// that were deleted, and follow with the next change.
///
/// After the context's ``NSManagedObjectContext/reset()`` the results are of objects that no context knows any more, and
/// nothing is told, as in Core Data, until ``performFetch()``.
///
/// The type of the results isn't bound to `NSFetchRequestResult`, for the reason given at
/// `NSFetchRequest`. A delegate gets a controller for that type, which has the same results and is
/// equal to this one.
open class NSFetchedResultsController<ResultType>: NSObject {
  final let results: FetchedResults
  private final var typed: (generation: Int, objects: [ResultType])?

  /// Makes a controller; ``performFetch()`` fetches.
  ///
  /// - Parameters:
  ///   - fetchRequest: what is fetched. Its sort descriptors must not be nil, and it must not be
  ///     changed afterwards. Without any, an empty list, new objects come behind the others.
  ///   - context: where it is fetched.
  ///   - sectionNameKeyPath: what the objects of a section share; the first sort descriptor must
  ///     order them the same way. Nil for one section.
  ///   - name: the name of a cache of sections: no two requests may use the same one, unless it is
  ///     deleted between.
  public init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName name: String?
  ) {
    precondition(
      fetchRequest.sortDescriptors != nil,
      "-[NSFetchedResultsController initWithFetchRequest:managedObjectContext:sectionNameKeyPath:"
        + "cacheName:]: An instance of NSFetchedResultsController requires a fetch request with "
        + "sort descriptors")
    if let type = ResultType.self as? NSManagedObject.Type { type.register() }
    results = FetchedResults(
      request: fetchRequest, context: context, sectionNameKeyPath: sectionNameKeyPath,
      cacheName: name)
    super.init()
    results.owner = self
  }

  init(_ results: FetchedResults) {
    self.results = results
    super.init()
  }

  /// Fetches.
  ///
  /// - Throws: what the fetch throws; ``NSCoreDataError`` when the sections aren't in one piece in
  ///   the order of the objects, or when the results are of another type.
  open func performFetch() throws {
    try results.performFetch { $0 is ResultType }
  }

  /// What is fetched.
  open var fetchRequest: NSFetchRequest<ResultType> {
    results.request as? NSFetchRequest<ResultType> ?? NSFetchRequest<ResultType>(results.request)
  }
  /// Where it is fetched.
  open var managedObjectContext: NSManagedObjectContext { results.context }
  /// What the objects of a section share; nil for one section.
  open var sectionNameKeyPath: String? { results.sectionNameKeyPath }
  /// The name of the cache of sections.
  open var cacheName: String? { results.cacheName }

  /// Who is told of changes; not kept alive.
  open var delegate: (any NSFetchedResultsControllerDelegate)? {
    get { results.delegate }
    set {
      results.delegate = newValue
      results.delegateTakesDifferences = nil
      results.delegateTakesSnapshots = nil
    }
  }

  // MARK: Results

  /// All objects; nil before ``performFetch()``.
  open var fetchedObjects: [ResultType]? {
    guard let contents = results.contents else { return nil }
    if let typed, typed.generation == results.generation { return typed.objects }
    let objects = contents.objects.compactMap { $0 as? ResultType }
    typed = (results.generation, objects)
    return objects
  }

  /// The object at a path. A path that leads nowhere is a programmer's error and traps.
  open func object(at indexPath: IndexPath) -> ResultType {
    guard let object = results.contents?.object(at: indexPath) as? ResultType else {
      preconditionFailure(
        "-[NSFetchedResultsController objectAtIndexPath:]: no object at index path \(indexPath)")
    }
    return object
  }

  /// Where an object is; nil when it isn't among the results.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    guard let object = object as? NSObject else { return nil }
    return results.contents?.indexPath(of: object)
  }

  /// The sections; nil before ``performFetch()``.
  open var sections: [any NSFetchedResultsSectionInfo]? {
    guard let contents = results.contents else { return nil }
    return contents.sections.indices.map { results.section($0, of: contents) }
  }

  /// The titles of the sections for an index, each one once.
  open var sectionIndexTitles: [String] { results.indexTitles }

  /// The title of a section for an index: what the delegate says, or the first letter of its name,
  /// capitalised.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    results.indexTitle(ofSection: sectionName)
  }

  /// The first section that has a title; `sectionIndex` is the title's place among
  /// ``sectionIndexTitles``. A title that isn't there is a programmer's error and traps.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    let titles = results.indexTitles
    precondition(
      titles.indices.contains(sectionIndex) && titles[sectionIndex] == title,
      "-[NSFetchedResultsController sectionForSectionIndexTitle:atIndex:]: Index title at "
        + "\(sectionIndex) is not equal to '\(title)'")
    let names = results.contents?.sections.map(\.name) ?? []
    return names.firstIndex { results.indexTitle(ofSection: $0) == title } ?? 0
  }

  /// Deletes a cache of sections; all of them when `name` is nil.
  open class func deleteCache(withName name: String?) {
    SectionCaches.shared.delete(name)
  }

  /// Controllers are equal when they have the same results, of whatever type.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? any FetchedResultsOwner)?.results === results
  }

  open override var hash: Int { ObjectIdentifier(results).hashValue }
}

/// A controller of any type of results.
protocol FetchedResultsOwner: AnyObject {
  var results: FetchedResults { get }
}

extension NSFetchedResultsController: FetchedResultsOwner {}

/// A section of a fetched results controller.
public protocol NSFetchedResultsSectionInfo {
  /// The section's name: the text of what its objects share.
  var name: String { get }
  /// The section's title in an index, mostly one letter.
  var indexTitle: String? { get }
  /// How many objects there are.
  var numberOfObjects: Int { get }
  /// The objects, in their order.
  var objects: [Any]? { get }
}
