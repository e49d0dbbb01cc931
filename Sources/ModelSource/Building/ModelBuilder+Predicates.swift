import DataModels
import Foundation
import PredicateFormat

import class DataModels.NSExpression

extension ModelBuilder {
  // MARK: Predicates and expressions

  mutating func predicate(
    _ text: String, _ subject: DiagnosticSubject, at attribute: String = "predicateString"
  ) -> NSPredicate? {
    do {
      return try PredicateSyntax.predicate(text)
    } catch {
      log.add(
        .predicate, about: subject, at: attribute, "the predicate can't be parsed: \(error)")
      return nil
    }
  }

  mutating func expression(
    _ text: String, or rule: SourceRule, of subject: DiagnosticSubject, at attribute: String
  ) -> NSExpression? {
    do {
      return try rule == .derivedExpression
        ? PredicateSyntax.derivation(text) : PredicateSyntax.expression(text)
    } catch {
      log.add(rule, about: subject, at: attribute, "the expression can't be parsed: \(error)")
      return nil
    }
  }

  /// Reports key paths in a derivation expression that can't be resolved.
  mutating func checkKeyPaths(
    of expression: NSExpression, entity: Int, _ subject: DiagnosticSubject
  ) {
    var pending: [(tree: ExpressionTree, isAggregated: Bool)] = [(expression.tree, false)]
    while let (tree, isAggregated) = pending.popLast() {
      switch tree {
      case .keyPath(let path) where path.operand == .evaluatedObject:
        check(keyPath: path.path, isAggregated: isAggregated, entity: entity, subject)
      case .function(let function):
        let isAggregate = ["count:", "sum:", "min:", "max:", "average:"].contains(function.selector)
        pending += function.arguments.map { ($0, isAggregate) }
      default: break
      }
    }
  }

  private mutating func check(
    keyPath: String, isAggregated: Bool, entity: Int, _ subject: DiagnosticSubject
  ) {
    var current: Int? = entity
    var last: DeclarationIndex.Property?
    var isMany = false
    var needsMany = isAggregated
    for part in keyPath.split(separator: ".") {
      if part.hasPrefix("@") {
        needsMany = true
        break
      }
      guard let place = current else {
        log.add(
          .derivedExpression, about: subject, at: "derivationExpression",
          "the key path '\(keyPath)' continues after an attribute")
        return
      }
      last = index.property(String(part), of: place)
      switch last {
      case .relationship(let relationship):
        current = relationship.destination.flatMap { index.entities[$0] }
        isMany = isMany || relationship.isToMany
      case .attribute, .fetched: current = nil
      case nil:
        let name = index.model.entities[place].name
        log.add(
          .derivedExpression, about: subject, at: "derivationExpression",
          "the key path '\(keyPath)' is invalid: '\(name)' has no property '\(part)'"
            + (SpellingSuggestion.nearest(
              to: String(part), among: index.propertyNames(of: place)
            ).map { " (did you mean '\($0)'?)" } ?? ""))
        return
      }
    }
    // The framework documents counts and sums only for to-many relationships, and stores support no others.
    if needsMany, !isMany {
      log.add(
        .derivedExpression, about: subject, at: "derivationExpression", severity: .warning,
        "'\(keyPath)' is counted or summed, but contains no to-many relationship; nothing is"
          + " derived")
    }
    if case .attribute(let attribute) = last, attribute.isTransient {
      log.add(
        .derivedExpression, about: subject, at: "derivationExpression", severity: .warning,
        "'\(keyPath)' is transient: the store, which computes derived values, doesn't contain it")
    }
  }

  /// Warns about attributes in a request's predicate that stores don't have.
  mutating func warnOfTransients(
    in predicate: NSPredicate?, of entity: Int?, _ subject: DiagnosticSubject
  ) {
    guard let predicate, let entity else { return }
    for path in KeyPathReader.paths(in: predicate.tree) where !path.contains(".") {
      guard case .attribute(let attribute) = index.property(path, of: entity), attribute.isTransient
      else { continue }
      log.add(
        .predicate, about: subject, at: "predicateString", severity: .warning,
        "the predicate uses '\(path)', which is transient: SQLite stores can't fetch by it")
    }
  }
}
