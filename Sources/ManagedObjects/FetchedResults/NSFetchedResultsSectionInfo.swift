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
