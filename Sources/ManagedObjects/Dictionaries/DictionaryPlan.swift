import DataModels
import Foundation
import PredicateFormat

/// What a request for dictionaries asks for, in terms that every store understands.
struct DictionaryPlan {
  /// What the dictionaries hold under one name.
  struct Column {
    let name: String
    let value: ExpressionTree
    /// The type of the values; undefined when they have the type that comes out.
    let type: NSAttributeType
    /// Whether there is one value for a group of rows.
    let isAggregate: Bool
  }

  /// A function of many rows.
  enum Aggregate: String {
    case count = "count:"
    case sum = "sum:"
    case average = "average:"
    case min = "min:"
    case max = "max:"
  }

  /// The request itself, for stores that are asked in its own terms.
  let request: AnyFetchRequest
  let layout: EntityLayout
  let columns: [Column]
  /// What rows of a group have in common; nil when rows aren't grouped.
  let groups: [ExpressionTree]?
  /// Which groups remain.
  let having: PredicateTree?
  /// Whether equal dictionaries come once.
  let isDistinct: Bool

  /// Whether a dictionary stands for many rows.
  var isGrouped: Bool { groups != nil || columns.contains(where: \.isAggregate) }

  /// Understands a request.
  ///
  /// - Throws: an `NSError` for what dictionaries can't hold.
  init(_ request: AnyFetchRequest, layout: EntityLayout) throws {
    self.request = request
    self.layout = layout
    let reader = DictionaryColumns(layout)
    let properties = request.propertiesToFetch ?? []
    columns = try properties.isEmpty ? reader.standard : properties.map { try reader.column($0) }
    let grouping = request.propertiesToGroupBy ?? []
    groups = try grouping.isEmpty ? nil : grouping.map { try reader.column($0).value }
    having = request.havingPredicate?.tree
    isDistinct = request.returnsDistinctResults
    guard let groups else { return }
    for column in columns where !column.isAggregate && !groups.contains(column.value) {
      throw CoreDataError.make(
        NSCoreDataError,
        "SELECT clauses in queries with GROUP BY components can only contain properties named in "
          + "the GROUP BY or aggregate functions (\(column.name))")
    }
  }

  /// The column of a name, for predicates over groups and for sort descriptors.
  func column(named name: String) -> Column? { columns.first { $0.name == name } }

  // MARK: Aggregates

  /// The function of many rows that an expression is, with what it is of; nil for anything else.
  func aggregate(
    _ tree: ExpressionTree
  ) -> (function: Aggregate, argument: ExpressionTree)? {
    Self.aggregate(tree, layout)
  }

  static func aggregate(
    _ tree: ExpressionTree, _ layout: EntityLayout
  ) -> (function: Aggregate, argument: ExpressionTree)? {
    switch tree {
    case .function(let function):
      guard function.isBuiltIn, function.arguments.count == 1,
        let aggregate = Aggregate(rawValue: function.selector),
        !isCollection(function.arguments[0], layout)
      else { return nil }
      return (aggregate, function.arguments[0])
    case .keyPath(let path):
      guard path.operand == .evaluatedObject, path.path.hasPrefix("@") else { return nil }
      let keys = path.path.split(separator: ".", maxSplits: 1)
      let rest = keys.count == 2 ? ExpressionTree.key(String(keys[1])) : .evaluatedObject
      switch keys.first {
      case "@count": return (.count, .evaluatedObject)
      case "@sum": return (.sum, rest)
      case "@avg": return (.average, rest)
      case "@min": return (.min, rest)
      case "@max": return (.max, rest)
      default: return nil
      }
    default: return nil
    }
  }

  /// Whether an expression's value is many objects or values already for one row.
  private static func isCollection(_ tree: ExpressionTree, _ layout: EntityLayout) -> Bool {
    switch tree {
    case .keyPath(let path):
      guard path.operand == .evaluatedObject else { return true }
      var current = layout
      for key in path.path.split(separator: ".") {
        guard let property = current.propertiesByName[String(key)] else { return false }
        if property.isToMany { return true }
        guard let next = property.destination else { return false }
        current = next
      }
      return false
    case .subquery, .aggregate, .set, .fetch, .constant: return true
    default: return false
    }
  }
}
