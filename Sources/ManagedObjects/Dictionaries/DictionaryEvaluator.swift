import DataModels
import Foundation
import PredicateFormat

/// Creates dictionaries from objects, for stores that can't produce them.
struct DictionaryEvaluator {
  /// The objects that a dictionary represents.
  private struct Group {
    var objects: [NSManagedObject]
    /// The object whose values those columns have that aren't aggregated.
    let representative: NSManagedObject?

    init(_ objects: [NSManagedObject], representative: NSManagedObject? = nil) {
      self.objects = objects
      self.representative = representative ?? objects.first
    }
  }

  private let plan: DictionaryPlan
  private let rules: EvaluationRules
  private let keys: DictionaryKeys

  /// - Parameter rules: the rules of the objects' stores.
  init(_ plan: DictionaryPlan, _ rules: EvaluationRules) {
    self.plan = plan
    self.rules = rules
    keys = DictionaryKeys(plan)
  }

  /// The dictionaries of matching objects.
  ///
  /// - Parameter descriptors: the order; empty if the objects have it.
  /// - Throws: ``NSCoreDataError`` for an expression or a predicate that can't be evaluated.
  func dictionaries(
    _ objects: [NSManagedObject], sortedBy descriptors: [NSSortDescriptor], offset: Int, limit: Int
  ) throws -> [NSDictionary] {
    do {
      return try made(objects, sortedBy: descriptors, offset: offset, limit: limit)
    } catch let error as PredicateFormatError {
      throw CoreDataError.make(
        NSCoreDataError,
        "The dictionaries of '\(plan.layout.name)' can't be created: \(error.message).")
    }
  }

  private func made(
    _ objects: [NSManagedObject], sortedBy descriptors: [NSSortDescriptor], offset: Int, limit: Int
  ) throws -> [NSDictionary] {
    var made: [NSDictionary]
    if plan.isGrouped {
      var groups = try grouped(objects)
      if let having = plan.having {
        groups = try groups.filter {
          try PredicateProgram(try resolved(having, $0), rules).evaluate(with: $0.representative)
        }
      }
      made = try sorted(groups, descriptors).map(dictionary)
    } else {
      made = try sorted(objects.map { Group([$0]) }, descriptors).map(dictionary)
    }
    if plan.isDistinct {
      var seen = Set<DistinctResult>()
      made = made.filter { seen.insert(DistinctResult($0, of: plan)).inserted }
    }
    let rest = made.dropFirst(offset)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }

  private func dictionary(_ group: Group) throws -> NSDictionary {
    keys.dictionary(try plan.columns.map { try object(try value($0.value, group), $0) })
  }

  // MARK: Groups

  private func grouped(_ objects: [NSManagedObject]) throws -> [Group] {
    guard let keys = plan.groups else {
      return [Group(objects, representative: try representative(of: objects))]
    }
    var groups: [Group] = []
    var places: [[PredicateValue]: Int] = [:]
    for object in objects {
      let key = try keys.map { try groupKey($0, object) }
      if let place = places[key] {
        groups[place].objects.append(object)
      } else {
        places[key] = groups.count
        groups.append(Group([object]))
      }
    }
    return groups
  }

  /// As in SQLite, beside one minimum or maximum the first object that has it; the last if none has a value. Nil if
  /// there is none or several of these.
  private func representative(of objects: [NSManagedObject]) throws -> NSManagedObject? {
    guard let (function, argument) = onlyExtreme else { return nil }
    let program = ExpressionProgram(argument, rules)
    let extreme = try aggregate(function, of: argument, in: Group(objects))
    if extreme == .null { return objects.last }
    return try objects.first { try program.value(for: $0) == extreme }
  }

  /// The minimum or maximum that is computed, if there is one alone.
  private var onlyExtreme: (function: DictionaryPlan.Aggregate, argument: ExpressionTree)? {
    var found: Set<ExpressionTree> = []
    func note(_ part: ExpressionTree) -> ExpressionTree? {
      if let function = plan.aggregate(part)?.function, function == .min || function == .max {
        found.insert(part)
      }
      return nil
    }
    for column in plan.columns { _ = column.value.replacing(note) }
    _ = plan.having?.replacing(note)
    return found.count == 1 ? found.first.flatMap { plan.aggregate($0) } : nil
  }

  private func groupKey(
    _ tree: ExpressionTree, _ object: NSManagedObject
  ) throws -> PredicateValue {
    let value = try ExpressionProgram(tree, rules).value(for: object).withoutNaN
    guard case .object(let opaque) = value, let target = opaque.base as? NSManagedObject else {
      return value
    }
    return .object(OpaqueObject(target.objectID))
  }

  private func sorted(
    _ groups: [Group], _ descriptors: [NSSortDescriptor]
  ) throws -> [Group] {
    guard !descriptors.isEmpty else { return groups }
    let keys = try groups.map { group in
      try descriptors.map { descriptor -> PredicateValue in
        guard let key = descriptor.key else { return .null }
        return try value(plan.column(named: key)?.value ?? .key(key), group)
      }
    }
    return groups.indices.sorted { left, right in
      for (index, descriptor) in descriptors.enumerated() {
        let order = descriptor.order(keys[left][index], keys[right][index])
        guard order != .orderedSame else { continue }
        return order == .orderedAscending
      }
      return left < right
    }.map { groups[$0] }
  }

  /// A predicate over groups with the values of columns and aggregates substituted. A column is referred to by its
  /// name or, as Core Data requires, by a variable with that name.
  private func resolved(
    _ predicate: PredicateTree, _ group: Group
  ) throws -> PredicateTree {
    var values: [ExpressionTree: ExpressionTree] = [:]
    let resolved = try predicate.replacing { expression in
      let known = try value(of: expression, group).map { ExpressionTree.constant($0) }
      if let known { values[expression] = known }
      return known
    }
    // In SQL, a comparison with what a group hasn't got is neither true nor false.
    return rules == .sqliteStore ? KnownAggregates(values).resolved(predicate) : resolved
  }

  /// The value of an aggregate, or of a column by its name; nil for other expressions.
  private func value(
    of expression: ExpressionTree, _ group: Group
  ) throws -> PredicateValue? {
    if plan.aggregate(expression) != nil { return try value(expression, group) }
    let name: String
    switch expression {
    case .keyPath(let path) where path.operand == .evaluatedObject: name = path.path
    case .variable(let variable): name = variable
    default: return nil
    }
    return try plan.column(named: name).map { try value($0.value, group) }
  }

  // MARK: Values

  private func value(
    _ tree: ExpressionTree, _ group: Group
  ) throws -> PredicateValue {
    if let (function, argument) = plan.aggregate(tree) {
      return try aggregate(function, of: argument, in: group)
    }
    let resolved = try tree.replacing {
      plan.aggregate($0) == nil ? nil : .constant(try value($0, group))
    }
    let result = try ExpressionProgram(resolved, rules).value(for: group.representative)
    return plan.groups == nil ? result : result.withoutNaN
  }

  /// Nil values are ignored, as in SQL.
  private func aggregate(
    _ function: DictionaryPlan.Aggregate, of argument: ExpressionTree, in group: Group
  ) throws -> PredicateValue {
    if function == .count, argument == .evaluatedObject {
      return .integer(Int64(group.objects.count))
    }
    let program = ExpressionProgram(argument, rules)
    let values = try group.objects.map { try program.value(for: $0) }.filter {
      switch $0 {
      case .null, .nsNull: false
      default: true
      }
    }
    if function == .count { return .integer(Int64(values.count)) }
    if values.isEmpty { return function == .sum ? .integer(0) : .null }
    return try ExpressionProgram(
      .function(ExpressionTree.Function(function.rawValue, [.constant(.array(values))])), rules
    ).value(for: nil)
  }

  /// A value in the form that dictionaries contain.
  private func object(_ value: PredicateValue, _ column: DictionaryPlan.Column) throws -> Any? {
    if let number = try column.number(value) { return number }
    let type = column.type
    // The average of dates is a number of seconds.
    if type == .dateAttributeType, case .double(let seconds) = value {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    if case .object(let opaque) = value {
      // The object has no value then, either.
      if opaque.base is UntransformedBytes { return nil }
      return (opaque.base as? NSManagedObject)?.objectID ?? opaque.base
    }
    guard let object = value.foundationValue, !(object is NSNull) else { return nil }
    guard type != .undefinedAttributeType, type != .objectIDAttributeType,
      let stored = AttributeCodec.stored(object, type: type)
    else { return object }
    return AttributeCodec.object(stored, type: type)
  }
}

extension PredicateValue {
  /// The value that groups have: SQLite stores what isn't a number as NULL, and in memory it would equal not even itself.
  fileprivate var withoutNaN: PredicateValue {
    switch self {
    case .double(let number) where number.isNaN: .null
    case .float(let number) where number.isNaN: .null
    case .decimal(let number) where number.isNaN: .null
    case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN: .null
    default: self
    }
  }
}

/// A dictionary among distinct ones. Texts are told apart by their bytes, as in SQL: to Swift, a letter with its accent is
/// the same as the two characters.
private struct DistinctResult: Hashable {
  private let dictionary: NSDictionary
  private let texts: [[UInt8]]

  init(_ dictionary: NSDictionary, of plan: DictionaryPlan) {
    self.dictionary = dictionary
    texts = plan.columns.map { column in
      (dictionary[column.name] as? String).map { Array($0.utf8) } ?? []
    }
  }
}
