import DataModels
import Foundation
import PredicateFormat

/// The author of a batch, for persistent history: the root context, which is also the one that saves into the stores.
struct BatchAuthor {
  let contextName: String?
  let author: String?

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
struct BatchInsertion {
  /// A row to insert: its values by slot, and the slots that the program provided values for.
  struct Row {
    let values: [StoredValue]
    let given: [Int]
  }

  let layout: EntityLayout
  /// The policy for a row that violates a uniqueness constraint.
  let policy: NSMergePolicyType
  let wantsIDs: Bool
  let author: BatchAuthor
  /// Returns the next row; nil at the end.
  let next: () throws -> Row?
}

/// Values to set in all rows that match a query.
struct BatchUpdate {
  /// The new value of a property.
  enum Value {
    case stored(StoredValue)
    case expression(ExpressionTree)
  }

  let query: RowQuery
  let values: [(property: PropertyLayout, value: Value)]
  let wantsIDs: Bool
  let author: BatchAuthor
  let matching: BatchMatching
}

/// Rows to delete.
struct BatchDeletion {
  /// The selection of rows.
  enum Rows {
    case query(RowQuery)
    case ids([NSManagedObjectID])
  }

  let layout: EntityLayout
  let rows: Rows
  let wantsIDs: Bool
  let author: BatchAuthor
  let matching: BatchMatching
}

/// Evaluates a query in memory, for a store whose query language can't express it. Called inside the store's
/// transaction.
typealias BatchMatching = (RowQuery) throws -> [NSManagedObjectID]

/// The outcome of a batch.
struct BatchOutcome {
  var count = 0
  /// The object IDs, if requested.
  var ids: [NSManagedObjectID] = []

  init() {}

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
