import ArgumentParser
import Foundation
import PredicateFormat

/// Parses predicate formats, and compares the evaluation of predicates with hand-written closures.
struct PredicateBenchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predicates",
    abstract: "Parse and evaluate predicates, compared with hand-written closures.")

  @Flag(help: "Print JSON rows instead of a table.")
  var json = false

  @Option(help: "The number of times to take each measurement; the median is used.")
  var rounds = 7

  func run() throws {
    for row in try predicateBenchmarks(rounds: rounds) { print(json ? try row.json() : row.line) }
  }
}

/// One row of the predicate benchmark's results.
struct PredicateBenchmarkRow: Encodable {
  /// The operation.
  var name: String
  /// MomKit's operations per second.
  var per_s: Double
  /// A hand-written closure's operations per second, or nil if there is none.
  var closure_per_s: Double?
  /// MomKit's time as a multiple of the closure's.
  var ratio: Double?
  /// The required operations per second, if there is a target.
  var target_per_s: Double?

  var line: String {
    var text = name.padding(toLength: 44, withPad: " ", startingAt: 0)
    text += String(format: "%12.0f/s", per_s)
    if let closure_per_s, let ratio {
      text += String(format: "  closure %12.0f/s  ratio %6.1f", closure_per_s, ratio)
    }
    if let target_per_s {
      text += String(
        format: "  target %10.0f/s %@", target_per_s, per_s >= target_per_s ? "met" : "MISSED")
    }
    return text
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

/// The object that the benchmark's predicates are evaluated with.
struct BenchmarkPerson: KeyValueReadable {
  var name: String
  var age: Int
  var score: Double

  static func make(_ count: Int) -> [BenchmarkPerson] {
    let names = ["Anna", "bob", "Charlotte the Great", "Åke"]
    return (0..<count).map { (index: Int) -> BenchmarkPerson in
      BenchmarkPerson(
        name: names[index % names.count] + String(index % 10), age: index % 90,
        score: Double(index) / 3)
    }
  }

  func predicateValue(forKey key: String) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "name": .string(name)
    case "age": .integer(Int64(age))
    case "score": .double(score)
    default: throw .undefinedKey(key, of: self)
    }
  }
}

/// Typical predicate formats.
private let typicalFormats = [
  #"age > 30 AND name BEGINSWITH[cd] "a""#, "uuid == $UUID",
  "oneToOne.name == $NAME OR string == $NEEDLE", #"lastName LIKE "Duck*""#,
  "SUBQUERY(items, $i, $i.price > 10).@count > 0",
  #"a BETWEEN {1, 10} AND (b == nil OR c IN {"x", "y"})"#,
  "booleanAttribute == 1 AND floatAttribute > 5", "canonical:(name) == 'x'",
]

private typealias Closure = @Sendable (BenchmarkPerson) -> Bool

/// Predicates with equivalent closures.
private let comparisons: [(format: String, closure: Closure)] = [
  ("age > 30", { $0.age > 30 }),
  ("score > 1000.5", { $0.score > 1000.5 }),
  ("name == 'bob1'", { $0.name == "bob1" }),
  ("age > 30 AND score < 1000", { $0.age > 30 && $0.score < 1000 }),
  ("age BETWEEN {20, 30}", { $0.age >= 20 && $0.age <= 30 }),
  ("age + 1 > 30", { $0.age + 1 > 30 }),
  ("name BEGINSWITH[c] 'a'", { $0.name.lowercased().hasPrefix("a") }),
  ("name CONTAINS 'the'", { $0.name.contains("the") }),
]

func predicateBenchmarks(rounds: Int) throws -> [PredicateBenchmarkRow] {
  var rows: [PredicateBenchmarkRow] = []
  let parses = try rate(rounds, typicalFormats.count * 2_000) {
    for _ in 0..<2_000 { for format in typicalFormats { _ = try PredicateTree(parsing: format) } }
  }
  rows.append(
    PredicateBenchmarkRow(name: "parse typical formats", per_s: parses, target_per_s: 200_000))
  let made = rate(rounds, 10_000) {
    for age in 0..<10_000 {
      _ = NSPredicate(format: "age > %d AND name BEGINSWITH[cd] %@", age, "a")
    }
  }
  rows.append(PredicateBenchmarkRow(name: "NSPredicate(format:) with arguments", per_s: made))
  let people = BenchmarkPerson.make(100_000)
  for (format, closure) in comparisons {
    let program = PredicateProgram(try PredicateTree(parsing: format))
    let expected = people.count { closure($0) }
    guard try people.count(where: { try program.evaluate($0) }) == expected else {
      throw ValidationError("\(format) and its closure don't agree")
    }
    let ours = try rate(rounds, people.count) {
      for person in people { _ = try program.evaluate(person) }
    }
    var count = 0
    let byHand = rate(rounds, people.count) {
      for person in people where closure(person) { count += 1 }
    }
    guard count == expected * rounds else { throw ValidationError("\(format): a wrong count") }
    rows.append(
      PredicateBenchmarkRow(
        name: "evaluate \(format)", per_s: ours, closure_per_s: byHand, ratio: byHand / ours,
        target_per_s: format == "age > 30" ? 5_000_000 : nil))
  }
  return rows
}

/// Returns the operations per second: the median of several rounds.
private func rate(_ rounds: Int, _ count: Int, _ body: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  var times: [Double] = []
  for _ in 0..<max(1, rounds) {
    let time = try clock.measure(body)
    times.append(
      Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
  }
  return Double(count) / times.sorted()[times.count / 2]
}
