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
        .predicate, subject, at: attribute, "the predicate can't be parsed: \(error)")
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
      log.add(rule, subject, at: attribute, "the expression can't be parsed: \(error)")
      return nil
    }
  }

  /// Reports the key paths of a derivation expression that lead nowhere.
  mutating func checkKeyPaths(
    of expression: NSExpression, entity: Int, _ subject: DiagnosticSubject
  ) {
    var pending = [expression.tree]
    while let tree = pending.popLast() {
      switch tree {
      case .keyPath(let path) where path.operand == .evaluatedObject:
        check(keyPath: path.path, entity: entity, subject)
      case .function(let function): pending += function.arguments
      default: break
      }
    }
  }

  private mutating func check(keyPath: String, entity: Int, _ subject: DiagnosticSubject) {
    var current: Int? = entity
    for part in keyPath.split(separator: ".") {
      if part.hasPrefix("@") { return }
      guard let place = current else {
        log.add(
          .derivedExpression, subject, at: "derivationExpression",
          "the key path '\(keyPath)' goes on after an attribute")
        return
      }
      switch index.property(String(part), of: place) {
      case .relationship(let relationship):
        current = relationship.destination.flatMap { index.entities[$0] }
      case .attribute, .fetched: current = nil
      case nil:
        let name = index.model.entities[place].name
        log.add(
          .derivedExpression, subject, at: "derivationExpression",
          "the key path '\(keyPath)' leads nowhere: '\(name)' has no property '\(part)'"
            + (SpellingSuggestion.nearest(
              to: String(part), among: index.propertyNames(of: place)
            ).map { " (did you mean '\($0)'?)" } ?? ""))
        return
      }
    }
  }
}
