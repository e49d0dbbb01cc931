import DataModels
import Foundation
import PredicateFormat

/// A query for rows.
@_spi(Engines) public struct RowQuery {
  /// The entity.
  public var layout: EntityLayout
  /// Whether rows of subentities are included.
  public var includesSubentities: Bool
  /// The predicate; nil for all rows.
  public var predicate: NSPredicate?
  /// The sort order.
  public var sortDescriptors: [NSSortDescriptor]
  /// The maximum number of rows; 0 for no limit.
  public var limit: Int
  /// The number of rows to skip first.
  public var offset: Int
  /// The stores to query; nil for all.
  var stores: [NSPersistentStore]?
  /// Whether only keys and versions are needed. Returning values too does no harm.
  public var keysOnly = false

  /// The predicate's text, for errors.
  var predicateText: String { predicate?.canonicalFormat ?? "" }

  /// Creates a query for the rows of an entity and its subentities.
  public init(
    layout: EntityLayout, includesSubentities: Bool = true, predicate: NSPredicate? = nil,
    sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0, offset: Int = 0
  ) {
    self.layout = layout
    self.includesSubentities = includesSubentities
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.limit = limit
    self.offset = offset
  }

  /// Whether rows of this entity can match.
  public func includes(_ other: EntityLayout) -> Bool {
    other === layout || includesSubentities && other.isKind(of: layout)
  }

  /// Whether an object can match.
  func includes(_ object: NSManagedObject) -> Bool {
    includes(object.layout) && (stores.map { object.isIn(oneOf: $0) } ?? true)
  }
}

extension RowQuery {
  /// The query as a fetch request.
  var request: NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>()
    request.entity = layout.entity
    request.includesSubentities = includesSubentities
    request.predicate = predicate
    request.sortDescriptors = sortDescriptors
    request.fetchLimit = limit
    request.fetchOffset = offset
    request.affectedStores = stores
    return request
  }
}
