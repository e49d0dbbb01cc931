import DataModels
import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

/// An expression of a mapping, prepared for evaluation with many objects.
final class MappedExpression {
  /// Forms that cover nearly all expressions of mappings and need no evaluator.
  enum Form {
    /// A property of the source object: `$source.key`, `FUNCTION($source, "valueForKey:", "key")`.
    case property(String)
    /// The destination objects of those that a property of the source object refers to, made by the mapping with a
    /// name, or by any mapping if nil.
    case made(mapping: String?, of: String)
    /// Anything else.
    case other
  }

  /// The expression; retained so that its address stays unique.
  let expression: NSExpression
  let form: Form
  private let program: ExpressionProgram
  private let variables: Set<String>

  init(_ expression: NSExpression) {
    self.expression = expression
    form = Self.form(of: expression.tree)
    program = ExpressionProgram(expression.tree)
    var names: Set<String> = []
    _ = expression.tree.mapLeaves { leaf in
      if case .variable(let name) = leaf { names.insert(name) }
      return leaf
    }
    variables = names
  }

  private static func form(of tree: ExpressionTree) -> Form {
    if let key = sourceKey(tree) { return .property(key) }
    guard case .function(let call) = tree, call.operand == .variable("manager"),
      call.arguments.count == 2, case .constant(.string(let name)) = call.arguments[0],
      let key = sourceKey(call.arguments[1])
    else { return .other }
    return switch call.selector {
    case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
      .made(mapping: nil, of: key)
    case "destinationInstancesForEntityMappingNamed:sourceInstances:":
      .made(mapping: name, of: key)
    default: .other
    }
  }

  /// The name of the entity mapping whose objects an expression asks for.
  static func mappingName(in tree: ExpressionTree) -> String? {
    guard case .made(let mapping, _) = form(of: tree) else { return nil }
    return mapping
  }

  /// The key of the source object that an expression reads, if that is all it does.
  private static func sourceKey(_ tree: ExpressionTree) -> String? {
    switch tree {
    case .keyPath(let path)
    where path.operand == .variable("source") && !path.path.contains(where: { ".@".contains($0) }):
      return path.path
    case .function(let call)
    where call.selector == "valueForKey:" && call.operand == .variable("source"):
      guard call.arguments.count == 1, case .constant(.string(let key)) = call.arguments[0] else {
        return nil
      }
      return key
    default: return nil
    }
  }

  /// The context in which an expression is evaluated.
  struct Subject {
    let mapping: NSEntityMapping
    let manager: NSMigrationManager
    var policy: NSEntityMigrationPolicy?
    var source: NSManagedObject?
    var destination: NSManagedObject?
    var property: NSPropertyMapping?
  }

  /// The expression's value, with the variables of a migration.
  ///
  /// - Throws: errors of a policy, or ``NSMigrationError`` for an expression that can't be evaluated.
  func value(for subject: Subject) throws -> PredicateValue {
    let failure = CallFailure()
    var bindings: [String: Any] = [:]
    for name in variables {
      bindings[name] = binding(name, subject: subject, failure: failure)
    }
    do {
      return try program.value(for: subject.source, bindings: bindings)
    } catch {
      if let thrown = failure.error { throw thrown }
      let place = subject.property.map { ".\($0.name ?? "")" } ?? ""
      throw CoreDataError.make(
        NSMigrationError,
        "The mapping '\(subject.mapping.name ?? "")\(place)' can't be evaluated: \(error), in: "
          + "\(expression)", userInfo: ["reason": "\(error)", NSUnderlyingErrorKey: error])
    }
  }

  private func binding(_ name: String, subject: Subject, failure: CallFailure) -> Any? {
    switch name {
    case "manager":
      CallableManager(manager: subject.manager, mapping: subject.mapping, failure: failure)
    case "entityMapping": subject.mapping
    case "entityPolicy": subject.policy.map { CallablePolicy(policy: $0, failure: failure) }
    case "source": subject.source
    case "destination": subject.destination
    case "propertyMapping": subject.property
    default: nil
    }
  }
}
