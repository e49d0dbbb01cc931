import Foundation

/// The contents of a fetched results controller at one time, as object IDs, for use by list views.
///
/// ```swift
/// func controller(
///   _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
///   didChangeContentWith snapshot: FetchedResultsSnapshot
/// ) {
///   for section in snapshot.sectionIdentifiers {
///     print(section, snapshot.itemIdentifiers(inSection: section).count)
///   }
/// }
/// ```
///
/// Replaces `NSDiffableDataSourceSnapshotReference`, which belongs to the user interface frameworks on Apple's
/// systems. The members have the same names.
public struct FetchedResultsSnapshot: Hashable, Sendable {
  /// The objects of a section.
  struct Section: Hashable, Sendable {
    let name: String
    let items: [NSManagedObjectID]
  }

  let sections: [Section]
  /// The objects whose values changed since the previous snapshot; empty in the first one.
  public let reloadedItemIdentifiers: [NSManagedObjectID]

  /// The names of the sections, in order; a single empty name if the controller has no sections.
  public var sectionIdentifiers: [String] { sections.map(\.name) }
  /// The IDs of all objects, in order.
  public var itemIdentifiers: [NSManagedObjectID] { sections.flatMap(\.items) }
  /// The number of sections.
  public var numberOfSections: Int { sections.count }
  /// The number of objects.
  public var numberOfItems: Int { sections.reduce(0) { $0 + $1.items.count } }

  /// The IDs of a section's objects, in order; empty for an unknown section.
  public func itemIdentifiers(inSection identifier: String) -> [NSManagedObjectID] {
    sections.first { $0.name == identifier }?.items ?? []
  }

  /// The name of the section that contains an object; nil if there is none.
  public func sectionIdentifier(containingItem identifier: NSManagedObjectID) -> String? {
    sections.first { $0.items.contains { $0.isSameObject(as: identifier) } }?.name
  }

  /// The index of an object among all objects; nil if it isn't there. An object that was inserted since the last save is found
  /// by its permanent ID, too.
  public func indexOfItem(_ identifier: NSManagedObjectID) -> Int? {
    itemIdentifiers.firstIndex { $0.isSameObject(as: identifier) }
  }

  /// The index of a section; nil if it isn't there.
  public func indexOfSection(_ identifier: String) -> Int? {
    sections.firstIndex { $0.name == identifier }
  }
}

extension NSManagedObjectID {
  /// Whether two IDs are of one object, though one may be from before it was saved.
  fileprivate func isSameObject(as other: NSManagedObjectID) -> Bool {
    (successor ?? self) == (other.successor ?? other)
  }
}

extension FetchedResultsSnapshot {
  init(_ contents: FetchedContents, after change: ContentsChange?) {
    func identity(_ object: NSObject) -> NSManagedObjectID? {
      (object as? NSManagedObject)?.objectID
    }
    sections = contents.sections.map { section in
      Section(name: section.name, items: contents.list[section.range].compactMap(identity))
    }
    reloadedItemIdentifiers = (change?.objects ?? []).compactMap {
      $0.old != nil && $0.new != nil ? identity($0.object) : nil
    }
  }
}
