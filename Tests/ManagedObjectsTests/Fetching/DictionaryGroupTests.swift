import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What dictionaries have besides aggregates: literals, groups of what isn't a number, orders by closures.
@Suite struct DictionaryGroupTests {
  private let folder: TemporaryFolder
  /// The same data in a file and in memory.
  private let contexts: [NSManagedObjectContext]

  init() throws {
    folder = try TemporaryFolder()
    contexts = [
      SmallModel.context(try SmallModel.coordinator(Self.model(), folder.file("a.sqlite"))),
      SmallModel.context(try TestStore.coordinator(Self.model())),
    ]
    let readings: [(name: String, kind: String?, score: Double?)] = [
      ("a", "x", 1), ("b", "yy", 3), ("c", "x", 3), ("d", nil, .nan), ("e", "yy", nil),
    ]
    for context in contexts {
      for reading in readings {
        let object = SmallModel.new("Reading", ["name": reading.name], in: context)
        (object["kind"], object["score"]) = (reading.kind, reading.score)
        // One by one, so that their keys are in this order.
        try context.save()
      }
    }
  }

  private static func model() -> NSManagedObjectModel {
    let shade = attribute("shade", .transformableAttributeType)
    return SmallModel.model(
      SmallModel.entity(
        "Reading",
        [
          SmallModel.text("name"), SmallModel.text("kind"),
          attribute("score", .doubleAttributeType), shade,
        ]))
  }

  private func column(_ name: String, _ expression: NSExpression) -> NSExpressionDescription {
    let description = NSExpressionDescription()
    (description.name, description.expression) = (name, expression)
    return description
  }

  private func column(_ name: String, _ format: String) -> NSExpressionDescription {
    column(name, NSExpression(format: format))
  }

  private func request(_ columns: [Any], by groups: [Any]? = nil) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Reading")
    request.resultType = .dictionaryResultType
    (request.propertiesToFetch, request.propertiesToGroupBy) = (columns, groups)
    return request
  }

  @Test(arguments: [7, "text", 1.5, Date(timeIntervalSinceReferenceDate: 1)] as [any Sendable])
  func literalsStandBesideGroups(literal: any Sendable) throws {
    for context in contexts {
      let request = request(
        [
          "kind", column("count", "count:(name)"),
          column("l", NSExpression(forConstantValue: literal)),
        ],
        by: ["kind"])
      request.sortDescriptors = [NSSortDescriptor(key: "kind", ascending: true)]
      let found = try context.fetch(request)
      #expect(found.map { $0["kind"] as? String } == [nil, "x", "yy"])
      #expect(found.map { $0["count"] as? Int } == [1, 2, 2])
      #expect(found.allSatisfy { "\($0["l"] ?? "")" == "\(literal)" })
    }
  }

  @Test(arguments: ["3 * 2", "uppercase('t')"])
  func computedLiteralsStandBesideGroups(format: String) throws {
    for context in contexts {
      let found = try context.fetch(request(["kind", column("l", format)], by: ["kind"]))
      #expect(found.count == 3 && found.allSatisfy { ["6", "T"].contains("\($0["l"] ?? "")") })
    }
  }

  @Test(arguments: ["score + 1", "uppercase(name)", "TERNARY(score > 1, 1, 0)"])
  func otherColumnsBesideGroupsAreRefused(format: String) throws {
    for context in contexts {
      #expect(throws: NSError.self) {
        try context.fetch(request(["kind", column("l", format)], by: ["kind"]))
      }
    }
  }

  /// A SQLite store has no value where another has one that isn't a number.
  @Test func whatIsNotANumberIsGroupedAsNil() throws {
    for context in contexts {
      let found = try context.fetch(
        request(["score", column("count", "count:(name)")], by: ["score"]))
      var counts: [String: Int] = [:]
      for group in found {
        counts[(group["score"] as? Double).map { "\($0)" } ?? "none"] = group["count"] as? Int
      }
      #expect(found.count == 3)
      #expect(counts == ["1.0": 1, "3.0": 2, "none": 2])
    }
  }

  @Test(arguments: [true, false])
  func closuresOrderDictionaries(isAscending: Bool) throws {
    // Longer texts first, nil last.
    let longestFirst = NSSortDescriptor(key: "kind", ascending: isAscending) { left, right in
      let lengths = [left, right].map { ($0 as? String)?.count ?? 0 }
      return lengths[0] == lengths[1]
        ? .orderedSame : lengths[0] > lengths[1] ? .orderedAscending : .orderedDescending
    }
    let greatestFirst = NSSortDescriptor(key: "twice", ascending: isAscending) { left, right in
      ((right as? NSNumber) ?? 0).compare((left as? NSNumber) ?? 0)
    }
    for context in contexts {
      let groups = request(["kind", column("count", "count:(name)")], by: ["kind"])
      groups.sortDescriptors = [longestFirst]
      let kinds = try context.fetch(groups).map { $0["kind"] as? String }
      #expect(kinds == (isAscending ? ["yy", "x", nil] : [nil, "x", "yy"]))
      let computed = request(["name", column("twice", "score * 2")])
      computed.predicate = NSPredicate(format: "score > 0", argumentArray: [])
      computed.sortDescriptors = [
        greatestFirst, NSSortDescriptor(key: "name", ascending: false),
      ]
      let names = try context.fetch(computed).compactMap { $0["name"] as? String }
      #expect(names == (isAscending ? ["c", "b", "a"] : ["a", "c", "b"]))
    }
  }

  /// As SQLite has it, of the row with the minimum or maximum, or else of the first.
  @Test(arguments: [
    (["max:(score)"], "score > 0", "b"), (["min:(score)"], "score > 0", "a"),
    (["max:(score)", "sum:(score)"], "score > 0", "b"),
    (["max:(score)", "max:(score) - 1"], "score > 0", "b"),
    (["@max.score"], "score > 0", "b"), (["sum:(score)"], "score > 0", "a"),
    (["max:(name)"], "score > 0", "c"), (["max:(score)"], "score == nil AND kind == 'yy'", "e"),
    (["min:(kind)"], "name >= 'b'", "c"), (["max:(score)"], "FALSEPREDICATE", ""),
  ])
  func plainColumnsAreThoseOfTheExtreme(
    formats: [String], predicate: String, expected: String
  ) throws {
    for context in contexts {
      let columns = formats.enumerated().map { column("c\($0.offset)", $0.element) }
      // An expression that SQL can't compute makes dictionaries in memory from rows.
      for others: [Any] in [[], [column("text", "CAST(12, 'NSString')")]] {
        let request = request(["name"] + columns + others)
        request.predicate = NSPredicate(format: predicate, argumentArray: [])
        let found = try context.fetch(request)
        #expect(found.count == 1)
        #expect(found.first?["name"] as? String ?? "" == expected)
      }
    }
  }

  @Test func havingChoosesThePlainColumnsRow() throws {
    for context in contexts {
      let request = request(["name", column("sum", "count:(score)")])
      request.predicate = NSPredicate(format: "score > 0", argumentArray: [])
      request.havingPredicate = NSPredicate(format: "max:(score) > 1", argumentArray: [])
      #expect(try context.fetch(request).map { $0["name"] as? String } == ["b"])
    }
  }

  /// Objects have no value then, either.
  @Test func whatCantBeDecodedIsNoValue() throws {
    let connection = try SQLiteConnection(
      writing: folder.file("a.sqlite"), creation: .existing)
    try connection.execute("UPDATE ZREADING SET ZSHADE = x'0102'")
    let found = try contexts[0].fetch(request(["name", "shade"]))
    #expect(found.count == 5)
    #expect(found.allSatisfy { $0["name"] != nil && $0["shade"] == nil })
  }
}
