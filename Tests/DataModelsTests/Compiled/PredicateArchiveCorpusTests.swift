import PredicateFormat
import PropertyLists
import TestSupport
import Testing

import class DataModels.NSExpression

@testable import DataModels

/// Every predicate and expression in the models of the corpus is printed, parsed, and archived again.
@Suite("Predicates of compiled models", .enabled(if: Corpus.isPresent, Corpus.absence))
struct PredicateArchiveCorpusTests {
  /// Parses the printed forms of predicates and expressions, and counts them.
  private final class Reparser {
    var count = 0

    func predicate(_ predicate: NSPredicate) throws -> NSPredicate {
      count += 1
      let tree = predicate.tree
      let source = tree.source
      #expect(source.arguments.isEmpty, "\(tree)")
      let parsed = try PredicateTree(parsing: source.format, arguments: source.arguments)
      #expect(parsed == tree)
      let canonical = try PredicateTree(parsing: tree.canonicalFormat)
      #expect(canonical.isEquivalent(to: tree))
      #expect(canonical.canonicalFormat == tree.canonicalFormat)
      return parsed.predicate
    }

    func expression(_ expression: NSExpression, isDerivation: Bool = false) throws -> NSExpression {
      count += 1
      let source = expression.tree.source
      let parsed = try ExpressionTree(parsing: source.format, arguments: source.arguments)
      #expect(parsed == expression.tree)
      return NSExpression(isDerivation ? parsed.compiledForDerivation : parsed)
    }

    func reparse(_ property: NSPropertyDescription) throws {
      let predicates = property.validationPredicates
      if !predicates.isEmpty {
        property.setValidation(
          try predicates.map(predicate), warnings: property.validationWarnings)
      }
      if let derived = property as? NSDerivedAttributeDescription,
        let derivation = derived.derivationExpression
      {
        derived.derivationExpression = try expression(derivation, isDerivation: true)
      }
      if let description = property as? NSExpressionDescription,
        let value = description.expression
      {
        description.expression = try expression(value)
      }
      if let fetched = property as? NSFetchedPropertyDescription,
        let request = fetched.fetchRequest,
        let condition = request.predicate
      {
        request.predicate = try predicate(condition)
      }
    }

    func reparse(_ model: NSManagedObjectModel) throws {
      for entity in model.entities {
        for property in entity.properties { try reparse(property) }
        for index in entity.indexes {
          if let condition = index.partialIndexPredicate {
            index.partialIndexPredicate = try predicate(condition)
          }
          for element in index.elements {
            if let property = element.property as? NSExpressionDescription { try reparse(property) }
          }
        }
      }
      for request in model.fetchRequestTemplatesByName.values {
        if let condition = request.predicate { request.predicate = try predicate(condition) }
      }
    }
  }

  @Test("Archive, text, tree, archive: the same trees and the same bytes")
  func roundTrip() throws {
    let reparser = Reparser()
    for kind in ["mom", "modelcache-mom"] {
      for file in Corpus.files(ofKind: kind) {
        let bytes = try FileBytes.read(file.url.path)
        let model = try ModelArchive.decode(bytes)
        let before = try ModelArchive.encode(model)
        let counted = reparser.count
        try reparser.reparse(model)
        guard reparser.count > counted else { continue }
        let after = try ModelArchive.encode(model)
        #expect(after == before, "\(file.path)")
      }
    }
    #expect(reparser.count > 100)
  }
}
