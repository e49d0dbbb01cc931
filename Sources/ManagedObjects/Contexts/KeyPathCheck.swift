import DataModels
import Foundation
import PredicateFormat

/// Validates a request's key paths before a store is queried: rejects paths that the entity doesn't have, or that a
/// SQLite store can't compare.
struct KeyPathCheck {
  private let layout: EntityLayout
  private let context: NSManagedObjectContext

  init(_ layout: EntityLayout, in context: NSManagedObjectContext) {
    self.layout = layout
    self.context = context
  }

  /// Whether a store's SQL compares the values.
  private var isInSQL: Bool { context.evaluationRules(for: layout) == .sqliteStore }

  /// Checks the predicate and the sort descriptors.
  ///
  /// - Throws: an `NSError` that names the first unknown path or selector, or the first sort key that leads to many
  ///   objects.
  func check(_ request: AnyFetchRequest) throws {
    try check(request.predicate)
    for descriptor in request.sortDescriptors ?? [] {
      guard let key = descriptor.key else { continue }
      if let selector = descriptor.sortKey?.selector, !ValueOrder.selectors.contains(selector) {
        throw CoreDataError.make(
          NSCoreDataError, "unsupported NSSortDescriptor selector: \(selector) (sorting by \(key))")
      }
      let leadsToMany = try check(key)
      let end = end(of: key, from: layout)
      // A key that a value doesn't have would compare as nil everywhere: no order, without a word.
      if end.isInsideValue, isInSQL {
        throw notFound(key)
      }
      guard leadsToMany else {
        // Several values at once have no order: sorting would do nothing, and a limit would take any rows.
        guard end.type != .compositeAttributeType else {
          throw CoreDataError.make(
            NSCoreDataError,
            "unsupported sort key: objects can't be sorted by the composite values of \(key).")
        }
        continue
      }
      throw CoreDataError.make(
        NSCoreDataError,
        "to-many key not allowed here: objects can't be sorted by \(key), which leads to many objects."
      )
    }
  }

  /// Checks the key paths of a request for dictionaries, as far as their store compares columns.
  ///
  /// - Throws: an `NSError` that names the first path that the store has no column for.
  func check(_ plan: DictionaryPlan) throws {
    guard isInSQL else { return }
    for value in plan.columns.map(\.value) + (plan.groups ?? []) { try checkKeys(in: value) }
  }

  /// Checks the key paths in an expression that is computed for each object.
  private func checkKeys(in tree: ExpressionTree) throws {
    _ = try tree.replacing { expression in
      if case .keyPath(let path) = expression, path.operand == .evaluatedObject {
        try check(path.path)
      }
      return nil
    }
  }

  /// A predicate still to be checked, and the entities of the enclosing subqueries' variables.
  private typealias Part = (predicate: PredicateTree, variables: [String: EntityLayout])

  /// Checks a predicate.
  ///
  /// - Throws: an `NSError` that names the first unknown path, or the first comparison in which a path leads to many
  ///   objects where a SQLite store needs one value.
  func check(_ predicate: NSPredicate?) throws {
    guard let predicate else { return }
    var pending: [Part] = [(predicate.tree, [:])]
    while let part = pending.popLast() {
      switch part.predicate {
      case .compound(_, let members):
        for member in members { pending.append((member, part.variables)) }
      case .comparison(let comparison):
        if part.predicate.isTooDeep {
          throw CoreDataError.unanswerable(.nestedTooDeeply, part.predicate.canonicalFormat)
        }
        let left = try leadsToMany(comparison.left, part: part, pending: &pending)
        let right = try leadsToMany(comparison.right, part: part, pending: &pending)
        guard left || right, comparison.modifier == .direct else { continue }
        let isWrong =
          switch comparison.type {
          case .in: left
          case .contains: right
          default: true
          }
        guard isWrong, isInSQL else { continue }
        throw CoreDataError.make(
          NSCoreDataError,
          "to-many key not allowed here: \(part.predicate.canonicalFormat) compares many objects as "
            + "one; use ANY, ALL, SUBQUERY or @count.")
      case .value, .opaque: break
      }
    }
  }

  /// Checks one side of a comparison, and returns whether it is a path to many objects. Subqueries are added to
  /// `pending`.
  private func leadsToMany(
    _ side: ExpressionTree, part: Part, pending: inout [Part]
  ) throws -> Bool {
    switch side {
    case .keyPath(let path):
      switch path.operand {
      case .evaluatedObject: return try check(path.path)
      case .variable(let name):
        return part.variables[name].map { end(of: path.path, from: $0).leadsToMany } ?? false
      case .subquery: return try leadsToMany(path.operand, part: part, pending: &pending)
      default: return false
      }
    case .subquery(let collection, let variable, let predicate):
      var variables = part.variables
      variables[variable] = destination(of: collection, part.variables)
      pending.append((predicate, variables))
      return false
    case .function, .conditional:
      try checkKeys(in: side)
      return false
    default: return false
    }
  }

  /// The entity of the objects in a subquery's collection, if that is a key path.
  private func destination(
    of collection: ExpressionTree, _ variables: [String: EntityLayout]
  ) -> EntityLayout? {
    guard case .keyPath(let path) = collection else { return nil }
    switch path.operand {
    case .evaluatedObject: return end(of: path.path, from: layout).destination
    case .variable(let name):
      return variables[name].flatMap { end(of: path.path, from: $0).destination }
    default: return nil
    }
  }

  @discardableResult
  private func check(_ path: String) throws -> Bool {
    let end = end(of: path, from: layout)
    guard end.isFound else { throw notFound(path) }
    return end.leadsToMany
  }

  private func notFound(_ path: String) -> NSError {
    CoreDataError.make(NSCoreDataError, "keypath \(path) not found in entity \(layout.name)")
  }

  /// The end of a key path.
  private struct End {
    /// Whether the model has all of the path's keys.
    var isFound = true
    /// Whether the path passes through a to-many relationship that no collection operator aggregates.
    var leadsToMany = false
    /// Whether the path goes on behind an attribute that is no composite, into its value.
    var isInsideValue = false
    /// The entity, if the path ends at objects.
    var destination: EntityLayout?
    /// The type of the attribute, if the path ends at one.
    var type = NSAttributeType.undefinedAttributeType
  }

  private func end(of path: String, from start: EntityLayout) -> End {
    var end = End(destination: start)
    let keys =
      path.isPath ? path.split(separator: ".", omittingEmptySubsequences: false) : [path[...]]
    for (index, key) in keys.enumerated() {
      if key == "self" || key == "SELF" { continue }
      guard let current = end.destination, !key.hasPrefix("@") else {
        // Keys after an operator can't be validated with the model.
        return End(leadsToMany: end.leadsToMany && !key.hasPrefix("@"))
      }
      if key == "objectID" || key == "entity" {
        end.destination = nil
        continue
      }
      // No table has a column for a transient property.
      guard let property = current.propertiesByName[String(key)],
        !property.isTransient || !isInSQL
      else { return End(isFound: false) }
      if property.isToMany { end.leadsToMany = true }
      if !property.isRelationship, index < keys.count - 1, !keys[index + 1].hasPrefix("@") {
        end.destination = nil
        (end.isFound, end.isInsideValue, end.type) = follow(keys[(index + 1)...], in: property)
        return end
      }
      end.destination = property.isRelationship ? property.destination : nil
      end.type = property.attributeType
    }
    return end
  }

  /// Follows keys behind an attribute, to an element of a composite. Which keys other values have isn't known here.
  private func follow(
    _ keys: ArraySlice<Substring>, in property: PropertyLayout
  ) -> (isFound: Bool, isInsideValue: Bool, type: NSAttributeType) {
    var description = property.description as? NSAttributeDescription
    for key in keys {
      guard let composite = description as? NSCompositeAttributeDescription else {
        return (!key.isEmpty, true, .undefinedAttributeType)
      }
      guard let element = composite.elements.first(where: { $0.name == key }) else {
        return (false, false, .undefinedAttributeType)
      }
      description = element
    }
    return (true, false, description?.attributeType ?? .undefinedAttributeType)
  }
}
