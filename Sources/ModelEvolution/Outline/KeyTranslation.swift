import PredicateFormat

/// Translates the keys in expressions and predicates of one outline to the names of another.
///
/// A key path is followed from entity to entity, so that the property is known for each key. Keys that aren't
/// properties (keys of values, elements of composites, operators) are kept.
struct KeyTranslation {
  /// The outline in which the keys are looked up.
  let outline: ModelOutline
  /// Returns the new name of a property, given its own path.
  let property: (ModelPath) -> String
  /// The entities of the variables in the model's predicates: `$FETCH_SOURCE` and those of subqueries.
  var variables: [String: String] = [:]

  /// Translates a key path starting at an entity. Also returns the entity it leads to; nil if it doesn't lead to one.
  func path(_ path: String, from entity: String?) -> (path: String, goal: String?) {
    var scope = entity
    let keys = path.split(separator: ".", omittingEmptySubsequences: false).map { part in
      let key = String(part)
      // Operators such as `@sum` stay at the same objects.
      guard !key.hasPrefix("@"), key.lowercased() != "self", let home = scope else { return key }
      guard let found = outline.property(key, visibleIn: home) else {
        scope = nil
        return key
      }
      let element = outline[found]
      scope = (element?["destination"] ?? element?["request"].fields["entity"] ?? .none).entityName
      return property(found)
    }
    return (keys.joined(separator: "."), scope)
  }

  /// Translates a predicate about objects of an entity.
  func predicate(_ tree: PredicateTree, of entity: String?) -> PredicateTree {
    switch tree {
    case .value, .opaque:
      return tree
    case .comparison(var comparison):
      comparison.left = expression(comparison.left, of: entity).tree
      comparison.right = expression(comparison.right, of: entity).tree
      return .comparison(comparison)
    case .compound(let kind, let members):
      return .compound(kind, members.map { predicate($0, of: entity) })
    }
  }

  /// Translates an expression about objects of an entity. Also returns the entity of its value; nil if it has none.
  // The recursion follows the expression, whose depth is bounded by its reader.
  func expression(
    _ tree: ExpressionTree, of entity: String?
  ) -> (tree: ExpressionTree, goal: String?) {
    func inner(_ tree: ExpressionTree) -> ExpressionTree { expression(tree, of: entity).tree }
    switch tree {
    case .evaluatedObject:
      return (tree, entity)
    case .variable(let name):
      return (tree, variables[name])
    case .constant, .keyPathSpecifier, .symbol, .anyKey, .fetch, .block:
      return (tree, nil)
    case .keyPath(var keyPath):
      let operand = expression(keyPath.operand, of: entity)
      let followed = path(keyPath.path, from: operand.goal)
      keyPath.operand = operand.tree
      keyPath.path = followed.path
      return (.keyPath(keyPath), followed.goal)
    case .function(var function):
      if !function.isBuiltIn { function.operand = inner(function.operand) }
      function.arguments = function.arguments.map(inner)
      return (.function(function), nil)
    case .set(let operation, let left, let right):
      let (left, goal) = expression(left, of: entity)
      return (.set(operation, left, inner(right)), goal)
    case .subquery(let collection, let variable, let condition):
      let (collection, goal) = expression(collection, of: entity)
      var nested = self
      nested.variables[variable] = goal
      return (
        .subquery(
          collection: collection, variable: variable,
          predicate: nested.predicate(condition, of: entity)), goal
      )
    case .aggregate(let elements):
      return (.aggregate(elements.map(inner)), nil)
    case .conditional(let condition, let yes, let no):
      return (.conditional(predicate(condition, of: entity), inner(yes), inner(no)), nil)
    case .assignment(let variable, let value):
      return (.assignment(variable: variable, value: inner(value)), nil)
    }
  }
}
