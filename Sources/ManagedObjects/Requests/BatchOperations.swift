import DataModels
import Foundation
import PredicateFormat

/// The author of a batch, for persistent history: the root context, which is also the one that saves into the stores.
@_spi(Engines) public struct BatchAuthor {
  /// The context's name.
  public let contextName: String?
  /// The context's author.
  public let author: String?

  init(_ context: NSManagedObjectContext) {
    var root = context
    while let parent = root.parent { root = parent }
    let isOther = root !== context
    (contextName, author) =
      isOther
      ? root.performAndWait { [root] in (root.name, root.transactionAuthor) }
      : (root.name, root.transactionAuthor)
  }
}

/// Rows to insert without objects.
@_spi(Engines) public struct BatchInsertion {
  /// A row to insert: its values by slot, and the slots that the program provided values for.
  public struct Row {
    /// The values by slot.
    public let values: [StoredValue]
    /// The slots that the program gave values for; the others have the model's.
    public let given: [Int]
  }

  /// The rows' entity.
  public let layout: EntityLayout
  /// The policy for a row that violates a uniqueness constraint.
  public let policy: NSMergePolicyType
  /// Whether the outcome is to have identities.
  public let wantsIDs: Bool
  /// Who writes.
  public let author: BatchAuthor
  /// Returns the next row; nil at the end.
  public let next: () throws -> Row?
}

/// Values to set in all rows that match a query.
@_spi(Engines) public struct BatchUpdate {
  /// The new value of a property.
  public enum Value {
    /// The same value for all rows.
    case stored(StoredValue)
    /// What is computed of the row as it was.
    case expression(ExpressionTree)
  }

  /// The rows.
  public let query: RowQuery
  /// What they get.
  public let values: [(property: PropertyLayout, value: Value)]
  /// Whether the outcome is to have identities.
  public let wantsIDs: Bool
  /// Who writes.
  public let author: BatchAuthor
  /// Finds the rows in memory.
  public let matching: BatchMatching
}

/// Rows to delete.
@_spi(Engines) public struct BatchDeletion {
  /// The selection of rows.
  public enum Rows {
    /// Those that are found.
    case query(RowQuery)
    /// Those of identities.
    case ids([NSManagedObjectID])
  }

  /// The rows' entity.
  public let layout: EntityLayout
  /// The rows.
  public let rows: Rows
  /// Whether the outcome is to have identities.
  public let wantsIDs: Bool
  /// Who writes.
  public let author: BatchAuthor
  /// Finds the rows in memory.
  public let matching: BatchMatching
}

/// Evaluates a query in memory, for a store whose query language can't express it. Called inside the store's
/// transaction.
@_spi(Engines) public typealias BatchMatching = (RowQuery) throws -> [NSManagedObjectID]

/// The outcome of a batch.
@_spi(Engines) public struct BatchOutcome {
  /// How many rows were written.
  public var count = 0
  /// The object IDs, if requested.
  public var ids: [NSManagedObjectID] = []

  /// Makes the outcome of a batch that wrote nothing.
  public init() {}

  mutating func add(_ other: BatchOutcome) {
    count += other.count
    ids += other.ids
  }

  /// The value of a batch result. Core Data's three result types use the same raw values.
  func result(_ type: UInt) -> Any {
    switch type {
    case 1: ids
    case 2: count
    default: true
    }
  }
}
