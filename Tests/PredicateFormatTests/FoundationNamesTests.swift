import PredicateFormat
import Testing

/// Code written for Apple's classes in a file that imports Foundation, unchanged.
@Suite struct FoundationNamesTests {
  private let person: [String: Any] = ["name": "Ann", "age": 42, "tags": ["a", "b"]]

  @Test func `format strings with arguments`() {
    #expect(
      NSPredicate(format: "age > %d AND name BEGINSWITH[cd] %@", 30, "a").evaluate(with: person))
    #expect(!NSPredicate(format: "age > %d", 50).evaluate(with: person))
    #expect(NSPredicate(format: "%K == %@", "name", "Ann" as NSString).evaluate(with: person))
    #expect(NSPredicate(format: "age IN %@", [1, 42]).evaluate(with: person))
    #expect(
      NSPredicate(format: "age == %@ OR age == %@", argumentArray: [1, 42]).evaluate(with: person))
    let list: [NSPredicate] = [.init(format: "age == 42"), NSPredicate(value: true)]
    #expect(list.allSatisfy { $0.evaluate(with: person) })
    let date = NSPredicate(format: "d < %@", Date(timeIntervalSinceReferenceDate: 5) as NSDate)
    #expect(date.description == "d < CAST(5.000000, \"NSDate\")")
  }

  @Test func `compounds mix with Foundation's own`() {
    let block = NSPredicate { object, _ in (object as? [String: Any])?["age"] as? Int == 42 }
    let mixed = NSCompoundPredicate(andPredicateWithSubpredicates: [
      block, NSPredicate(format: "name == 'Ann'"),
      NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "age == 1")),
    ])
    #expect(mixed.evaluate(with: person))
    #expect(mixed.canonicalFormat == "BLOCKPREDICATE AND name == \"Ann\" AND (NOT age == 1)")
    #expect(mixed.tree.predicate.evaluate(with: person))
    let parsed = NSPredicate(format: "a == 1 OR b == 2 OR NOT c == 3") as? NSCompoundPredicate
    #expect(parsed?.compoundPredicateType == .or)
    #expect(parsed?.subpredicates.count == 3)
    #expect((parsed?.subpredicates[2] as? NSCompoundPredicate)?.compoundPredicateType == .not)
    #expect(NSPredicate(value: true).tree == .value(true))
    #expect(NSPredicate(value: false).tree == .value(false))
  }

  @Test func `comparisons can be taken apart and put together`() throws {
    let comparison = try #require(
      NSPredicate(format: "ANY team.age >=[c] 3") as? NSComparisonPredicate)
    #expect(comparison.predicateOperatorType == .greaterThanOrEqualTo)
    #expect(comparison.comparisonPredicateModifier == .any)
    #expect(comparison.options == .caseInsensitive)
    #expect(comparison.leftExpression.expressionType == .keyPath)
    #expect(comparison.leftExpression.keyPath == "team.age")
    #expect(comparison.rightExpression.constantValue as? Int == 3)
    #expect(comparison.predicateFormat == "ANY team.age >=[c] 3")
    let made = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "team.age"),
      rightExpression: NSExpression(forConstantValue: 3.0), modifier: .any,
      type: .greaterThanOrEqualTo, options: [.caseInsensitive])
    #expect(made == comparison)
    #expect(made.hash == comparison.hash)
    #expect(made.copy() as? NSPredicate == comparison)
    #expect(made != NSPredicate(format: "ANY team.age >= 3"))
    let custom = NSComparisonPredicate(
      leftExpression: .expressionForEvaluatedObject(), rightExpression: NSExpression(format: "1"),
      customSelector: Selector("isLike:"))
    #expect(custom.predicateOperatorType == .customSelector)
    #expect(custom.customSelector == Selector("isLike:"))
  }

  @Test func `variables are substituted`() {
    let template = NSPredicate(format: "name == $NAME AND age == $AGE")
    let filled = template.withSubstitutionVariables(["NAME": "Ann", "AGE": 42])
    #expect(filled.description == "name == \"Ann\" AND age == 42")
    #expect(filled.evaluate(with: person))
    #expect(template.evaluate(with: person, substitutionVariables: ["NAME": "Ann", "AGE": 42]))
    #expect(!template.evaluate(with: person))
    let half = template.withSubstitutionVariables(["NAME": "Ann"])
    #expect(half.evaluate(with: person, substitutionVariables: ["AGE": 42]))
    let subquery = NSPredicate(format: "SUBQUERY(tags, $NAME, $NAME == 'a').@count == $N")
      .withSubstitutionVariables(["NAME": "x", "N": 1])
    #expect(subquery.evaluate(with: person))
  }

  @Test func `expressions`() throws {
    #expect(
      NSExpression(format: "age * 2 + %d", 1).expressionValue(with: person, context: nil) as? Int
        == 85)
    let sum = NSExpression(
      forFunction: "sum:", arguments: [NSExpression(forConstantValue: [1, 2, 3])])
    #expect(sum.expressionValue(with: nil, context: nil) as? Int == 6)
    #expect(sum.function == "sum:")
    #expect(sum.arguments?.count == 1)
    let both = NSExpression(forAggregate: [NSExpression(forVariable: "x"), 2])
    #expect(both.description == "{$x, 2}")
    #expect((both.collection as? [NSExpression])?.count == 2)
    let context: NSMutableDictionary = ["x": 1]
    #expect(both.expressionValue(with: nil, context: context) as? [Int] == [1, 2])
    let choice = NSExpression(
      forConditional: NSPredicate(format: "age > 18"),
      trueExpression: NSExpression(forConstantValue: "adult"),
      falseExpression: NSExpression(forConstantValue: "child"))
    #expect(choice.expressionValue(with: person, context: nil) as? String == "adult")
    #expect(choice.expressionType == .conditional)
    #expect(choice.predicate == NSPredicate(format: "age > 18"))
    let block = NSExpression(
      block: { object, arguments, _ in "\(arguments)" },
      arguments: [NSExpression(forKeyPath: "age")])
    #expect(block.expressionValue(with: person, context: nil) as? String == "[42]")
    let subquery = NSExpression(
      forSubquery: NSExpression(forKeyPath: "tags"), usingIteratorVariable: "t",
      predicate: NSPredicate(format: "$t == 'a'"))
    #expect(subquery == NSExpression(format: "SUBQUERY(tags, $t, $t == 'a')"))
    #expect(NSExpression(forKeyPath: "a.b") == NSExpression(format: "a.b"))
    let inserted = NSPredicate(format: "%@ > 3", NSExpression(forKeyPath: "age"))
    #expect(inserted.description == "age > 3")
  }

  @Test func `sort descriptors by key`() {
    let people: [[String: Any]] = [
      ["name": "bob", "age": 3], ["name": "Ann", "age": 3], ["name": "Cy"],
    ]
    func names(_ descriptors: [NSSortDescriptor]) -> [String] {
      people.sorted { left, right in
        for descriptor in descriptors {
          let order = descriptor.compare(left, to: right)
          if order != .orderedSame { return order == .orderedAscending }
        }
        return false
      }.compactMap { $0["name"] as? String }
    }
    #expect(names([NSSortDescriptor(key: "name", ascending: true)]) == ["Ann", "Cy", "bob"])
    let caseless = NSSortDescriptor(
      key: "name", ascending: false, selector: Selector("caseInsensitiveCompare:"))
    #expect(names([caseless]) == ["Cy", "bob", "Ann"])
    #expect(caseless.selector == .caseInsensitiveCompare)
    #expect(caseless.key == "name")
    #expect(
      names([NSSortDescriptor(key: "age", ascending: true), caseless]) == ["Cy", "bob", "Ann"])
    let block = NSSortDescriptor(key: "name", ascending: true) { left, right in
      ((left as? String)?.count ?? 0) < ((right as? String)?.count ?? 0)
        ? .orderedAscending : .orderedSame
    }
    #expect(block.sortKey == nil)
    #expect(
      caseless.sortKey == SortKey("name", ascending: false, selector: "caseInsensitiveCompare:"))
    #expect((caseless.reversedSortDescriptor as? NSSortDescriptor)?.ascending == true)
    #expect(
      NSSortDescriptor(key: "a", ascending: true) == NSSortDescriptor(key: "a", ascending: true))
    let sorted = NSArray(array: ["b", "a"]).sortedArray(using: [
      NSSortDescriptor(key: "self", ascending: true)
    ])
    #expect(sorted as? [String] == ["a", "b"])
  }

  @Test func `collections filter`() {
    let numbers = NSArray(array: [1, 2, 3])
    #expect(
      numbers.filtered(using: NSPredicate(format: "SELF > 1")).compactMap { $0 as? Int } == [2, 3])
  }

  @Test func `text from outside throws`() {
    #expect(throws: PredicateFormatError.self) { try NSPredicate(parsing: "age >") }
    #expect(throws: PredicateFormatError.self) { try NSExpression(parsing: "age +") }
    #expect(
      throws: PredicateFormatError(
        .syntax, "expected an expression, found the end of the text", column: 6)
    ) { try PredicateTree(parsing: "age >") }
    #expect(
      throws: PredicateFormatError(
        .syntax, "expected an operator such as ==, < or CONTAINS, found 'é'", column: 8)
    ) { try PredicateTree(parsing: "größe  é == 1") }
  }
}
