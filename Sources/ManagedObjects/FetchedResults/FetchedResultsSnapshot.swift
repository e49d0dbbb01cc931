import Foundation

/// What a fetched results controller has at one moment, by identities: what a list shows, or goes over to.
///
/// In the place of `NSDiffableDataSourceSnapshotReference`, which is of the user interface's frameworks on Apple's
/// systems: the members have the names of that class's.
public struct FetchedResultsSnapshot: Hashable, Sendable {
  /// Objects that share a section.
  struct Section: Hashable, Sendable {
    let name: String
    let items: [NSManagedObjectID]
  }

  let sections: [Section]
  /// The objects whose values are others than in the snapshot before; none in the first one.
  public let reloadedItemIdentifiers: [NSManagedObjectID]

  /// The names of the sections in their order; one without a name where the controller has no sections.
  public var sectionIdentifiers: [String] { sections.map(\.name) }
  /// The identities of all objects in their order.
  public var itemIdentifiers: [NSManagedObjectID] { sections.flatMap(\.items) }
  /// How many sections there are.
  public var numberOfSections: Int { sections.count }
  /// How many objects there are.
  public var numberOfItems: Int { sections.reduce(0) { $0 + $1.items.count } }

  /// The identities of a section's objects in their order; none of a section that isn't there.
  public func itemIdentifiers(inSection identifier: String) -> [NSManagedObjectID] {
    sections.first { $0.name == identifier }?.items ?? []
  }

  /// The name of the section that an object is in; nil for one that isn't there.
  public func sectionIdentifier(containingItem identifier: NSManagedObjectID) -> String? {
    sections.first { $0.items.contains(identifier) }?.name
  }

  /// Where an object stands among all; nil for one that isn't there.
  public func indexOfItem(_ identifier: NSManagedObjectID) -> Int? {
    itemIdentifiers.firstIndex(of: identifier)
  }

  /// Where a section stands among all; nil for one that isn't there.
  public func indexOfSection(_ identifier: String) -> Int? {
    sections.firstIndex { $0.name == identifier }
  }
}

extension FetchedResultsSnapshot {
  init(_ contents: FetchedContents, after change: ContentsChange?) {
    func identity(_ object: NSObject) -> NSManagedObjectID? {
      (object as? NSManagedObject)?.objectID
    }
    sections = contents.sections.map { section in
      Section(name: section.name, items: contents.objects[section.range].compactMap(identity))
    }
    reloadedItemIdentifiers = (change?.objects ?? []).compactMap {
      $0.old != nil && $0.new != nil ? identity($0.object) : nil
    }
  }
}
