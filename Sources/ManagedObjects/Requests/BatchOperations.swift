import Foundation
import ManagedModel
import PredicateFormat

/// Who writes a batch, for persistent history: the context that has the stores, which is the one that
/// saves into them as well.
package struct BatchAuthor {
  package let contextName: String?
  package let author: String?

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
package struct BatchInsertion {
  /// A row to be inserted: its values by slot, and the slots that the program gave values for.
  package struct Row {
    package let values: [StoredValue]
    package let given: [Int]
  }

  package let layout: EntityLayout
  /// What becomes of a row whose unique values another row has.
  package let policy: NSMergePolicyType
  package let wantsIDs: Bool
  package let author: BatchAuthor
  /// Gives the next row; nil when there are no more.
  package let next: () throws -> Row?
}

/// Values to be written into all rows that a query finds.
package struct BatchUpdate {
  /// A property, and what it gets.
  package enum Value {
    case stored(StoredValue)
    case expression(ExpressionTree)
  }

  package let query: RowQuery
  package let values: [(property: PropertyLayout, value: Value)]
  package let wantsIDs: Bool
  package let author: BatchAuthor
  package let matching: BatchMatching
}

/// Rows to be deleted.
package struct BatchDeletion {
  /// Which ones.
  package enum Rows {
    case query(RowQuery)
    case ids([NSManagedObjectID])
  }

  package let layout: EntityLayout
  package let rows: Rows
  package let wantsIDs: Bool
  package let author: BatchAuthor
  package let matching: BatchMatching
}

/// Finds the rows of a query in memory, for a store whose own language can't say it. Called inside
/// the store's transaction.
package typealias BatchMatching = (RowQuery) throws -> [NSManagedObjectID]

/// What a batch did.
package struct BatchOutcome {
  package var count = 0
  /// The identities, if they were asked for.
  package var ids: [NSManagedObjectID] = []

  package init() {}

  mutating func add(_ other: BatchOutcome) {
    count += other.count
    ids += other.ids
  }
}
