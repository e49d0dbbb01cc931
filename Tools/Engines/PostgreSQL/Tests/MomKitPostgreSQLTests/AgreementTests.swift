import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Random programs and queries: PostgreSQL gives the same results as the other stores. `MOMKIT_POSTGRESQL_SEEDS` is
/// the number of programs (default 8).
@Suite(.enabled(if: TestServer.isThere)) struct AgreementTests {
  private static let seeds =
    0..<(ProcessInfo.processInfo.environment["MOMKIT_POSTGRESQL_SEEDS"].flatMap { Int($0) } ?? 8)

  @Test(arguments: seeds) func theSameProgramGivesTheSameObjects(seed: Int) throws {
    var found: [[StoreContents]] = []
    for type in [NSSQLiteStoreType, NSPostgreSQLStoreType] {
      let contexts = try TestContexts(type, TestModel.shop())
      var objects = RandomObjects(seed)
      var context = try contexts.context()
      var states: [StoreContents] = []
      for _ in 0..<6 {
        try objects.step(context)
        // As seen by another program.
        context = try contexts.context()
        states.append(try StoreContents(context))
      }
      found.append(states)
    }
    for (round, (state, expected)) in zip(found[1], found[0]).enumerated() {
      #expect(state.difference(from: expected) == nil, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: seeds) func theSameQuestionsHaveTheSameAnswers(seed: Int) throws {
    var answers: [[String]] = []
    var questions: [String] = []
    for type in [NSSQLiteStoreType, NSPostgreSQLStoreType] {
      let contexts = try TestContexts(type, TestModel.shop())
      var objects = RandomObjects(seed)
      let context = try contexts.context()
      for _ in 0..<3 { try objects.step(context) }
      let reader = try contexts.context()
      var random = Random(seed &+ 1000)
      var found: [String] = []
      questions = []
      for _ in 0..<150 {
        let entity = random.pick(["Person", "Order", "Party", "Tag"]) ?? "Tag"
        let format = RandomQuestion.predicate(on: entity, depth: 2, &random)
        questions.append("\(entity) where \(format)")
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: format)
        let sortKey = RandomQuestion.sortKey(of: entity, &random)
        request.sortDescriptors = [NSSortDescriptor(key: sortKey, ascending: random.chance(50))]
        do {
          let objects = try reader.fetch(request)
          // Keys differ between stores, but the order in which objects were created doesn't.
          let places = try Dictionary(
            uniqueKeysWithValues: reader.all(entity).map(\.key).sorted().enumerated().map {
              ($1, $0)
            })
          let rows = objects.map { "\(places[$0.key] ?? -1)" }.sorted()
          let values = objects.map { "\($0.value(forKeyPath: sortKey) ?? "nil")" }
          found.append("\(rows) \(values)")
          #expect(try reader.count(for: request) == objects.count, "\(format)")
        } catch {
          found.append("error \((error as NSError).code)")
        }
      }
      answers.append(found)
    }
    for (index, question) in questions.enumerated() {
      #expect(answers[1][index] == answers[0][index], "seed \(seed): \(question)")
    }
  }
}

/// Predicates over the entities of ``TestModel/shop()``.
enum RandomQuestion {
  static func sortKey(of entity: String, _ random: inout Random) -> String {
    let keys =
      switch entity {
      case "Person": ["name", "birth", "height", "mid", "big", "boss.name", "small"]
      case "Order": ["number", "note", "customer.name", "total"]
      case "Party": ["name"]
      default: ["title"]
      }
    return random.pick(keys) ?? "name"
  }

  static func predicate(on entity: String, depth: Int, _ random: inout Random) -> String {
    if depth > 0, random.chance(45) {
      let (one, two) = (
        predicate(on: entity, depth: depth - 1, &random),
        predicate(on: entity, depth: depth - 1, &random)
      )
      switch random.number(0...2) {
      case 0: return "(\(one) AND \(two))"
      case 1: return "(\(one) OR \(two))"
      default: return "NOT (\(one))"
      }
    }
    let leaves: [String]
    switch entity {
    case "Person":
      leaves = [
        text("name", &random), text("name", &random), number("small", &random),
        number("mid", &random),
        number("big", &random), number("height", &random), number("weight", &random),
        number("money", &random), "flag == \(random.chance(50) ? "YES" : "1")", "flag != NO",
        "birth \(symbol(&random)) CAST(\(random.number(-9...9)) * 86400.5, 'NSDate')",
        "birth == nil", "id == nil", "boss == nil", "boss.boss != nil", text("boss.name", &random),
        number("boss.small", &random), "orders.@count \(symbol(&random)) \(random.number(0...3))",
        "ANY orders.number \(symbol(&random)) \(random.number(1...20))",
        "ALL orders.number \(symbol(&random)) \(random.number(1...20))",
        "ANY orders.tags.title == 'a'", text("ANY friends.name", &random, quantified: true),
        "SUBQUERY(orders, $o, $o.number > \(random.number(1...20)) AND ANY $o.tags.title == 'a').@count > 0",
        "reports.@sum.small \(symbol(&random)) \(random.number(-3...3))",
        "reports.@max.mid \(symbol(&random)) 0", "SELF IN friends", "boss IN friends",
        "friends.@count == reports.@count", "small + mid \(symbol(&random)) big",
        "mid / small \(symbol(&random)) 4",
        "height * 2 \(symbol(&random)) \(random.number(-3...3))",
        "passport.holder == SELF", "small BETWEEN {-1, 2}", "name IN {'a', 'A', 'é'}",
        "small IN {1, 2, -3}", "NOT (small == nil)",
      ]
    case "Order":
      leaves = [
        number("number", &random), text("note", &random), number("total", &random),
        text("customer.name", &random), "customer == nil", "ANY tags.title == 'a'",
        "tags.@count \(symbol(&random)) \(random.number(0...3))",
        "customer.orders.@count > \(random.number(0...3))", "number BETWEEN {2, 9}",
        "note CONTAINS[cd] 'A'", "customer.id == nil",
      ]
    case "Party":
      leaves = [
        text("name", &random), "orders.@count > \(random.number(0...2))", "id == nil",
        "ANY orders.number > \(random.number(1...20))",
      ]
    default:
      leaves = [
        text("title", &random), "orders.@count > \(random.number(0...3))", "ANY orders.note == nil",
        text("ANY orders.note", &random, quantified: true),
      ]
    }
    return random.pick(leaves) ?? "TRUEPREDICATE"
  }

  private static func symbol(_ random: inout Random) -> String {
    random.pick(["==", "!=", "<", "<=", ">", ">="]) ?? "=="
  }

  private static func number(_ key: String, _ random: inout Random) -> String {
    let value =
      random.pick(["0", "1", "-1", "0.5", "7", "0.1", "-2.5", "1099511627776", "nil"]) ?? "0"
    return value == "nil"
      ? "\(key) \(random.chance(50) ? "==" : "!=") nil" : "\(key) \(symbol(&random)) \(value)"
  }

  private static func text(_ key: String, _ random: inout Random, quantified: Bool = false)
    -> String
  {
    let value = random.pick(["a", "A", "ab", "é", "100%", "a_b", "b", "", "zz"]) ?? ""
    let operators =
      [
        "==", "!=", "<", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "CONTAINS[c]", "==[cd]",
        "LIKE", "LIKE[c]",
      ]
    let operation = random.pick(operators) ?? "=="
    return
      "\(key) \(operation) '\(operation.hasPrefix("LIKE") && random.chance(50) ? value + "*" : value)'"
  }
}
