import DataModels
import Foundation
import PredicateFormat

/// Rows asked for.
@_spi(Engines) public struct RowQuery {
  /// The entity.
  public var layout: EntityLayout
  /// Whether rows of subentities count.
  public var includesSubentities: Bool
  /// Which rows; nil for all.
  public var predicate: NSPredicate?
  /// In which order.
  public var sortDescriptors: [NSSortDescriptor]
  /// How many at most; 0 for any number.
  public var limit: Int
  /// How many are left out first.
  public var offset: Int
  /// The stores asked; nil for all.
  var stores: [NSPersistentStore]?

  /// The predicate as errors name it.
  var predicateText: String { predicate?.canonicalFormat ?? "" }

  /// Asks for the rows of an entity, and of those below it.
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

  /// Whether a row of this entity can be among those asked for.
  public func includes(_ other: EntityLayout) -> Bool {
    other === layout || includesSubentities && other.isKind(of: layout)
  }

  /// Whether an object can be among those asked for.
  func includes(_ object: NSManagedObject) -> Bool {
    includes(object.layout) && (stores.map { object.isIn(oneOf: $0) } ?? true)
  }
}

extension RowQuery {
  /// The same as a request to a context.
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
