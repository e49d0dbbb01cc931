import DataModels
import Foundation

/// A controller that keeps the results of a fetch up to date with a context, optionally in sections, and reports
/// changes to a delegate.
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
/// Changes, including unsaved ones, are detected when the context processes them. Without a delegate the results stay
/// as they were fetched. If the store can't be read at that time, the results stay as they are, except for deleted
/// objects, and are updated with the next change.
///
/// After the context's ``NSManagedObjectContext/reset()`` the results consist of objects that have no context, and
/// nothing is reported until ``performFetch()``, as in Core Data.
///
/// The result type isn't constrained to `NSFetchRequestResult`, for the reason given at `NSFetchRequest`. Delegates
/// receive a controller of that type, which shares the results and is equal to this one; `===` says so, too
/// (`ObjectIdentifier` doesn't).
open class NSFetchedResultsController<ResultType>: NSObject {
  final let results: FetchedResults
  private final var typed: (generation: Int, objects: [ResultType])?

  /// Creates a controller; call ``performFetch()`` to fetch.
  ///
  /// - Parameters:
  ///   - fetchRequest: the request. Its sort descriptors must not be nil, and it must not be changed afterwards. If
  ///     they are an empty list, new objects are appended.
  ///   - context: the context to fetch in.
  ///   - sectionNameKeyPath: the key path of the section name; the first sort descriptor must sort objects the same
  ///     way. Nil for a single section.
  ///   - name: the name of a section cache. Different requests must not use the same name, unless the cache is
  ///     deleted in between.
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

  /// Converts a controller to this type. Returns the controller itself if it has this type already, otherwise one that
  /// shares its results and its delegate and is equal to it; nil if it isn't a fetched results controller.
  ///
  /// This replaces Core Data's `controller as? NSFetchedResultsController<Person>`, which without the Objective-C runtime
  /// succeeds for only one result type.
  public static func converted(from controller: Any?) -> NSFetchedResultsController<ResultType>? {
    if let controller = controller as? NSFetchedResultsController<ResultType> { return controller }
    return (controller as? any FetchedResultsOwner).map {
      if let type = ResultType.self as? NSManagedObject.Type { type.register() }
      return NSFetchedResultsController($0.results)
    }
  }

  /// Fetches the results.
  ///
  /// - Throws: errors of the fetch; ``NSCoreDataError`` if the objects' order doesn't keep sections contiguous, or if
  ///   the results are of another type.
  open func performFetch() throws {
    try results.performFetch { $0 is ResultType }
  }

  /// The fetch request. A controller that was converted from another type has a copy of it; ``performFetch()`` uses what
  /// was changed in either.
  open var fetchRequest: NSFetchRequest<ResultType> { results.request(of: ResultType.self) }
  /// The context in which the request is fetched.
  open var managedObjectContext: NSManagedObjectContext { results.context }
  /// The key path of the section name; nil for a single section.
  open var sectionNameKeyPath: String? { results.sectionNameKeyPath }
  /// The name of the section cache.
  open var cacheName: String? { results.cacheName }

  /// The delegate, which is notified of changes. It isn't retained.
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

  /// The object at an index path. An invalid index path is a programmer error and traps.
  open func object(at indexPath: IndexPath) -> ResultType {
    guard let object = results.contents?.object(at: indexPath) as? ResultType else {
      preconditionFailure(
        "-[NSFetchedResultsController objectAtIndexPath:]: no object at index path \(indexPath)")
    }
    return object
  }

  /// The index path of an object; nil if it isn't among the results.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    guard let object = object as? NSObject else { return nil }
    return results.contents?.indexPath(of: object)
  }

  /// The sections; nil before ``performFetch()``.
  open var sections: [any NSFetchedResultsSectionInfo]? {
    guard let contents = results.contents else { return nil }
    return contents.sections.indices.map { results.section($0, of: contents) }
  }

  /// The distinct index titles of the sections.
  open var sectionIndexTitles: [String] { results.indexTitles }

  /// The index title of a section: the delegate's, or the first letter of the section's name, capitalized.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    results.indexTitle(ofSection: sectionName)
  }

  /// The first section with an index title; `sectionIndex` is the title's index in ``sectionIndexTitles``. An unknown
  /// title is a programmer error and traps.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    let titles = results.indexTitles
    precondition(
      titles.indices.contains(sectionIndex) && titles[sectionIndex] == title,
      "-[NSFetchedResultsController sectionForSectionIndexTitle:atIndex:]: Index title at "
        + "\(sectionIndex) is not equal to '\(title)'")
    let names = results.contents?.sections.map(\.name) ?? []
    return names.firstIndex { results.indexTitle(ofSection: $0) == title } ?? 0
  }

  /// Deletes a section cache; all of them if `name` is nil.
  open class func deleteCache(withName name: String?) {
    SectionCaches.shared.delete(name)
  }

  /// Controllers are equal if they share their results, whatever their result type.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? any FetchedResultsOwner)?.results === results
  }

  open override var hash: Int { ObjectIdentifier(results).hashValue }
}

/// A section of a fetched results controller.
///
/// ```swift
/// for section in controller.sections ?? [] {
///   print(section.name, section.numberOfObjects)
/// }
/// ```
public protocol NSFetchedResultsSectionInfo {
  /// The section's name: the text of the value that its objects share.
  var name: String { get }
  /// The section's title in an index, usually one letter.
  var indexTitle: String? { get }
  /// The number of objects.
  var numberOfObjects: Int { get }
  /// The objects, in order.
  var objects: [Any]? { get }
}
