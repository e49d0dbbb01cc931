import DataModels
import Foundation
import PredicateFormat

/// Who writes a batch, for persistent history: the context that has the stores, which is the one that
/// saves into them as well.
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

/// Rows to be written without objects.
struct BatchInsertion {
  /// A row to be inserted: its values by slot, and the slots that the program gave values for.
  struct Row {
    let values: [StoredValue]
    let given: [Int]
  }

  let layout: EntityLayout
  /// What becomes of a row whose unique values another row has.
  let policy: NSMergePolicyType
  let wantsIDs: Bool
  let author: BatchAuthor
  /// Gives the next row; nil when there are no more.
  let next: () throws -> Row?
}

/// Values to be written into all rows that a query finds.
struct BatchUpdate {
  /// A property, and what it gets.
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

/// Rows to be deleted.
struct BatchDeletion {
  /// Which ones.
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

/// Finds the rows of a query in memory, for a store whose own language can't say it. Called inside
/// the store's transaction.
typealias BatchMatching = (RowQuery) throws -> [NSManagedObjectID]

/// What a batch did.
struct BatchOutcome {
  var count = 0
  /// The identities, if they were asked for.
  var ids: [NSManagedObjectID] = []

  init() {}

  mutating func add(_ other: BatchOutcome) {
    count += other.count
    ids += other.ids
  }

  /// What a result tells of it, by the numbers that Core Data's three types of results agree in.
  func result(_ type: UInt) -> Any {
    switch type {
    case 1: ids
    case 2: count
    default: true
    }
  }
}
