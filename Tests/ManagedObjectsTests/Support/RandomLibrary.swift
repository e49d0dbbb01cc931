import DataModels
import Foundation
import PredicateFormat
import TestSupport

@_spi(Engines) @testable import ManagedObjects

/// A library of random authors and books, and random queries for it.
struct RandomLibrary {
  private var generator: SeededGenerator
  private static let words = [
    "ada", "Ada", "ADA", "bob", "Bób", "çelik", "Zuse", "zuse", "", "a*b", "x?y", "ß", "Élan",
    "élan",
    "naïve", "10", "9",
  ]

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  // MARK: Data

  /// Fills a context; the same seed results in the same data.
  mutating func fill(_ context: NSManagedObjectContext) throws {
    let houses = (0..<4).map {
      Library.new("Publisher", ["name": $0 == 3 ? nil : Self.words[$0 * 4]], in: context)
    }
    let tags = (0..<5).map { Library.new("Tag", ["name": Self.words[$0 * 2]], in: context) }
    for number in 0..<40 {
      let author = Library.new(
        "Author",
        [
          "name": "\(word() ?? "n")-\(number)", "rank": generator.number(-3...6),
          "score": optional { Double($0.number(-8...8)) / 4 },
          "born": optional { Date(timeIntervalSinceReferenceDate: Double($0.number(-5...5))) },
          "isActive": optional { $0.chance(50) }, "note": word(),
          "publisher": optional { $0.pick(houses) } ?? nil,
        ], in: context)
      for _ in 0..<generator.number(0...4) {
        let book = Library.new(
          generator.chance(30) ? "Novel" : "Book",
          [
            "title": word(), "pages": optional { $0.number(0...6) * 50 },
            "price": optional { Double($0.number(0...12)) / 4 },
            "published": optional {
              Date(timeIntervalSinceReferenceDate: Double($0.number(-5...5)))
            },
            "isSold": optional { $0.chance(50) }, "author": author,
          ], in: context)
        book["tags"] = NSSet(array: tags.filter { _ in generator.chance(30) })
      }
    }
    try context.save()
  }

  private mutating func word() -> String? { optional { $0.pick(Self.words) ?? "" } }

  private mutating func optional<Value>(_ make: (inout SeededGenerator) -> Value) -> Value? {
    let value = make(&generator)
    return generator.chance(20) ? nil : value
  }

  // MARK: Questions about authors

  /// A random predicate with its arguments: rarely one that can't be evaluated, now and then one about an object or
  /// ID from `authors`.
  mutating func question(_ authors: [NSManagedObject]) -> (String, [Any]) {
    if generator.chance(3) { return (wrong(), []) }
    guard generator.chance(15), let author = generator.pick(authors) else {
      return (predicate(), [])
    }
    let books = Array((author["books"] as? Set<NSManagedObject> ?? []))
      .sorted { $0.objectID.key < $1.objectID.key }
    let objects: [(String, NSManagedObject?)] = [
      ("SELF == %@", author), ("SELF != %@", author), ("objectID == %@", author),
      ("publisher == %@", author["publisher"] as? NSManagedObject),
      ("publisher != %@", author["publisher"] as? NSManagedObject),
      ("ANY books == %@", books.first), ("NONE books == %@", books.last),
      ("books CONTAINS %@", books.first),
    ]
    guard let (format, picked) = generator.pick(objects), let object = picked else {
      return ("SELF IN %@", [authors.filter { _ in generator.chance(20) }.map(\.objectID)])
    }
    let constant: Any = generator.chance(50) ? object : object.objectID
    return (generator.chance(30) ? "NOT (\(format))" : format, [constant])
  }

  /// A comparison that can't be evaluated for any row.
  private mutating func wrong() -> String {
    generator.pick([
      "NOT (name MATCHES '[')", "name LIKE 5", "name == $X", "name < 5", "rank IN 5",
      "name + 1 == 2",
      "NOT (ANY rank == 2)", "NOT (NOT (rank / 2 > name))",
    ]) ?? "name == $X"
  }

  mutating func predicate(depth: Int = 2) -> String {
    if depth > 0, generator.chance(40) {
      let (left, right) = (predicate(depth: depth - 1), predicate(depth: depth - 1))
      return generator.pick([
        "(\(left)) AND (\(right))", "(\(left)) OR (\(right))", "NOT (\(left))",
      ])
        ?? left
    }
    switch generator.number(0...9) {
    case 0, 1: return comparison(numbers(), number())
    case 2: return comparison(numbers(), numbers())
    case 3: return text(texts())
    case 4: return equality()
    case 5: return "ANY books.\(aboutBook())"
    case 6:
      return "\(generator.pick(["ALL", "NONE", "ANY"]) ?? "ANY") "
        + "\(generator.pick(["books", "publisher.authors.books"]) ?? "books").\(aboutBook())"
    case 7:
      return "SUBQUERY(books, $b, $b.\(aboutBook()) AND $b.\(aboutBook())).@count "
        + "\(symbol()) \(generator.number(0...2))"
    case 8: return list()
    default: return "ANY books.tags.name \(symbol()) \(quoted())"
    }
  }

  private mutating func symbol() -> String {
    generator.pick(["==", "!=", "<", "<=", ">", ">="]) ?? "=="
  }

  private mutating func comparison(_ left: String, _ right: String) -> String {
    "\(left) \(symbol()) \(right)"
  }

  private mutating func number() -> String {
    generator.pick([
      "\(generator.number(-3...6))", "\(Double(generator.number(-8...8)) / 4)", "nil",
    ])
      ?? "0"
  }

  private mutating func numbers() -> String {
    generator.pick([
      "rank", "score", "isActive", "books.@count", "books.@sum.pages", "books.@sum.price",
      "books.@avg.price", "books.@min.pages", "books.@max.price", "publisher.authors.@count",
      "rank + \(generator.number(-2...2))", "rank * 2 - score", "score / 2", "abs:(rank)",
      "length:(note)", "modulus:by:(rank, 3)", "rank / score", "modulus:by:(3, rank)",
      "count:(books)", "sum:(books.price)",
      "max:(books.pages)", "bitwiseAnd:with:(rank, 3)", "sqrt:(abs:(score))",
      "TERNARY(rank > 2, score, rank)", "SUBQUERY(books, $x, $x.isSold == YES).@count",
      "SUBQUERY(books, $x, $x.pages > 50).@sum.pages",
    ]) ?? "rank"
  }

  private mutating func texts() -> String {
    generator.pick([
      "name", "note", "publisher.name", "uppercase:(note)", "lowercase:(name)", "canonical:(note)",
    ]) ?? "name"
  }

  private mutating func quoted() -> String { "\"\(generator.pick(Self.words) ?? "")\"" }

  private mutating func text(_ left: String) -> String {
    let operation =
      generator.pick([
        "==", "!=", "<", ">=", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "IN",
      ]) ?? "=="
    let options = generator.pick(["", "", "[c]", "[cd]", "[d]"]) ?? ""
    if operation == "IN" { return "\(left) IN {\(quoted()), \(quoted()), \(quoted())}" }
    if operation == "LIKE" {
      return "\(left) LIKE\(options) \"\(generator.pick(["*a*", "?da", "z*", "*-1?"]) ?? "*")\""
    }
    if operation == "MATCHES" { return "\(left) MATCHES\(options) \"[a-z]+.*\"" }
    if generator.chance(20) { return "\(left) \(operation)\(options) \(texts())" }
    return "\(left) \(operation)\(options) \(quoted())"
  }

  private mutating func equality() -> String {
    generator.pick([
      "publisher == nil", "publisher != nil", "born == nil", "born < publisher.authors.@max.born",
      "born >= CAST(\(generator.number(-5...5)), \"NSDate\")", "publisher.name == note",
      "born + rank > CAST(1, \"NSDate\")", "born - publisher.authors.@min.born > 3", "born >= 2",
      "note == 10", "note IN {9, 10}", "rank == '2'", "NOT (born + 1 == nil)", "isActive == YES",
      "isActive != NO", "note == nil", "note != nil", "contract == nil",
      "contract.sum == nil", "3 < rank", "nil == note", "entity.name == \"Author\"",
      "rank BETWEEN {score, 4}", "rank BETWEEN {-1, 2}", "TRUEPREDICATE", "FALSEPREDICATE",
      "publisher.name IN books.title", "books.title CONTAINS note", "books.pages CONTAINS 100",
    ]) ?? "note == nil"
  }

  private mutating func list() -> String {
    let key = generator.pick(["rank", "score", "rank + 1", "books.@count"]) ?? "rank"
    return "\(key) IN {\(number()), \(number()), \(generator.number(-3...6))}"
  }

  private mutating func aboutBook() -> String {
    switch generator.number(0...4) {
    case 0: return comparison("pages", "\(generator.number(0...6) * 50)")
    case 1: return comparison("price", "\(Double(generator.number(0...12)) / 4)")
    case 2:
      return
        "title \(generator.pick(["==", "!=", "CONTAINS[c]", "BEGINSWITH"]) ?? "==") \(quoted())"
    case 3: return "isSold == \(generator.pick(["YES", "NO", "nil"]) ?? "YES")"
    default: return "published != nil"
    }
  }

  /// Random sort descriptors, the last one for unique names.
  mutating func descriptors() -> [NSSortDescriptor] {
    let keys = [
      "rank", "score", "born", "note", "isActive", "publisher.name", "books.@count",
    ]
    var descriptors = (0..<generator.number(0...2)).map { _ in
      let key = generator.pick(keys) ?? "rank"
      let selector = generator.pick([nil, "caseInsensitiveCompare:", "localizedCompare:"]) ?? nil
      return NSSortDescriptor(
        SortKey(
          key, ascending: generator.chance(50),
          selector: key.hasSuffix("note") || key.hasSuffix("name") ? selector : "compare:"))
    }
    descriptors.append(NSSortDescriptor(key: "name", ascending: generator.chance(50)))
    return descriptors
  }

  mutating func window() -> (offset: Int, limit: Int) {
    (
      generator.chance(30) ? generator.number(0...10) : 0,
      generator.chance(30) ? generator.number(1...10) : 0
    )
  }
}
