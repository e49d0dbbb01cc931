import DataModels
import Foundation
import PredicateFormat

/// A request for dictionaries in store-independent terms.
@_spi(Engines) public struct DictionaryPlan {
  /// One entry of the dictionaries.
  public struct Column {
    /// The name.
    public let name: String
    /// What is computed.
    public let value: ExpressionTree
    /// The type of the values; undefined if the expression determines it.
    public let type: NSAttributeType
    /// Whether there is one value per group of rows.
    public let isAggregate: Bool
  }

  /// An aggregate function.
  public enum Aggregate: String {
    /// How many there are.
    case count = "count:"
    /// Their sum.
    case sum = "sum:"
    /// Their average.
    case average = "average:"
    /// The least.
    case min = "min:"
    /// The greatest.
    case max = "max:"
  }

  /// The original request, for stores that take requests.
  let request: AnyFetchRequest
  /// The rows' entity.
  public let layout: EntityLayout
  /// What the dictionaries hold.
  public let columns: [Column]
  /// The grouping expressions; nil if rows aren't grouped.
  public let groups: [ExpressionTree]?
  /// The predicate over groups.
  public let having: PredicateTree?
  /// Whether duplicate dictionaries are removed.
  public let isDistinct: Bool

  /// Whether a dictionary represents several rows.
  public var isGrouped: Bool { groups != nil || columns.contains(where: \.isAggregate) }

  /// Creates the plan of a request.
  ///
  /// - Throws: an `NSError` for properties that dictionaries can't contain.
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
    guard having == nil || groups != nil || columns.contains(where: \.isAggregate) else {
      throw CoreDataError.make(
        NSCoreDataError,
        "A havingPredicate needs propertiesToGroupBy: there are no groups to choose from.")
    }
    guard let groups else { return }
    for column in columns
    where !column.isAggregate && !groups.contains(column.value) && !Self.isLiteral(column.value) {
      throw CoreDataError.make(
        NSCoreDataError,
        "SELECT clauses in queries with GROUP BY components can only contain properties named in "
          + "the GROUP BY or aggregate functions (\(column.name))")
    }
  }

  /// The column with a name, for predicates over groups and for sort descriptors.
  public func column(named name: String) -> Column? { columns.first { $0.name == name } }

  /// Whether an expression has the same value whichever object it is evaluated with.
  private static func isLiteral(_ tree: ExpressionTree) -> Bool {
    var isLiteral = true
    _ = tree.replacing { part in
      switch part {
      case .constant, .aggregate, .conditional: break
      case .function(let function) where function.isBuiltIn: break
      default: isLiteral = false
      }
      return nil
    }
    return isLiteral
  }

  /// Whether a sort descriptor names a column whose values are computed, rather than a property.
  func computesAny(of descriptors: [NSSortDescriptor]) -> Bool {
    descriptors.contains { descriptor in
      guard let key = descriptor.key, let column = column(named: key) else { return false }
      return column.value != .key(key)
    }
  }

  // MARK: Aggregates

  /// The aggregate function and its argument, if an expression is an aggregate; otherwise nil.
  public func aggregate(
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

  /// Whether an expression has many values even for a single row.
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
