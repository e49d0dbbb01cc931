import Foundation
import MomKit

/// Measures how the cost of operations grows with the number of objects, compared with SQLite's C API doing the same.
/// Prints the ratio at each size and the exponent, that is, the slope of time over size on logarithmic scales.
///
/// ```
/// swift run -c release --package-path Tools GrowthBenchmark [--json] [--rounds N] [--scale N] [WORD …]
/// valgrind --tool=callgrind GrowthBenchmark count N (objects | raw) WORD
/// ```
///
/// `readers` measures threads that read concurrently, with and without a writer. `startup` measures processes from
/// launch to the first fetched object. Any other words select operations whose number or name contains one of them.
/// `count` performs operations once at one size, in one of both ways: the difference of two sizes is what an object takes.
/// `--scale 10` multiplies the sizes by ten. Exits with status 1 if an exponent exceeds 1.15 for operations on all
/// objects, or 0.35 for single operations among many objects.
@main
enum GrowthBenchmark {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func flag(_ name: String) -> Bool {
      guard let index = arguments.firstIndex(of: name) else { return false }
      arguments.remove(at: index)
      return true
    }
    func option(_ name: String, _ standard: Int) -> Int {
      guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else {
        return standard
      }
      let value = Int(arguments[index + 1]) ?? standard
      arguments.removeSubrange(index...index + 1)
      return value
    }
    let isJSON = flag("--json")
    let (rounds, scale) = (option("--rounds", 3), option("--scale", 1))
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-growth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    switch arguments.first {
    case "readers": return try ConcurrencyRun.run(in: folder, rounds: rounds, isJSON: isJSON)
    case "startup":
      return try StartupRun.run(
        Array(arguments.dropFirst()), in: folder, rounds: rounds, isJSON: isJSON)
    case "count" where arguments.count == 4:
      return try count(
        arguments[3], Int(arguments[1]) ?? 0, isRaw: arguments[2] == "raw", in: folder)
    default: checkCasts(in: folder)
    }
    let chosen = GrowthCase.all.filter { work in
      arguments.isEmpty
        || arguments.contains { work.number == $0 || work.work.localizedStandardContains($0) }
    }
    var lines: [GrowthLine] = []
    if !isJSON { print(GrowthLine.heading) }
    for work in chosen {
      let line = try GrowthLine(work, rounds: rounds, scale: scale, in: folder)
      lines.append(line)
      if !isJSON { print(line.text) }
      fflush(nil)
    }
    if isJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      print(String(decoding: try encoder.encode(lines), as: UTF8.self))
    }
    if lines.contains(where: \.isSteep) {
      fflush(nil)
      try? FileManager.default.removeItem(at: folder)
      exit(1)
    }
  }
}

extension GrowthBenchmark {
  private static func count(_ word: String, _ size: Int, isRaw: Bool, in folder: URL) throws {
    for work in GrowthCase.all where work.work.localizedStandardContains(word) {
      let body = isRaw ? work.raw : work.objects
      print(work.number, work.work, size, try body?(GrowthStore(in: folder), size) ?? "–")
    }
  }

  /// Checks that sets of relationships can also be cast to Swift's in a program that links the static standard
  /// library, which omits everything unreferenced.
  private static func checkCasts(in folder: URL) {
    let context = GrowthStore(in: folder).context()
    let company = Company(context: context)
    Worker(context: context).company = company
    let value: Any? = company.value(forKey: "workers")
    precondition((value as? Set<NSManagedObject>)?.count == 1, "a set doesn't cast")
  }
}

/// The measurements of one operation.
struct GrowthLine: Encodable {
  let number: String
  let work: String
  let kind: String
  let sizes: [Int]
  /// The times at each size, in microseconds: the best of all rounds, because the machine is shared.
  let objects: [Double]
  let raw: [Double]?
  let exponent: Double

  init(_ work: GrowthCase, rounds: Int, scale: Int, in folder: URL) throws {
    (number, self.work, kind) = (work.number, work.work, work.kind.rawValue)
    let sizes = work.sizes.map { $0 * scale }
    func best(_ size: Int, _ body: (GrowthStore, Int) throws -> Duration) throws -> Double {
      var best = Double.infinity
      for _ in 0..<rounds {
        best = min(best, try body(GrowthStore(in: folder), size) / .microseconds(1))
        // A result this slow needs no second measurement.
        if best > 5_000_000 { break }
      }
      return best
    }
    let objects = try sizes.map { try best($0, work.objects) }
    raw = try work.raw.map { raw in try sizes.map { try best($0, raw) } }
    exponent = Self.slope(zip(sizes, objects).map { (log(Double($0)), log(max($1, 0.01))) })
    (self.sizes, self.objects) = (sizes, objects)
  }

  /// Whether the time grows faster than permitted.
  var isSteep: Bool { exponent > (kind == GrowthCase.Kind.whole.rawValue ? 1.15 : 0.35) }

  private static func slope(_ points: [(x: Double, y: Double)]) -> Double {
    let count = Double(points.count)
    let x = points.reduce(0) { $0 + $1.x } / count
    let y = points.reduce(0) { $0 + $1.y } / count
    let above = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) }
    let below = points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
    return below == 0 ? 0 : above / below
  }

  static let heading =
    "no.  work                                              sizes, µs a row (or each)            × raw"
    + "               exponent"

  var text: String {
    let share = { (index: Int) in kind == "whole" ? Double(sizes[index]) : 1 }
    let times = sizes.indices.map { String(format: "%9.2f", objects[$0] / share($0)) }
    let ratios = sizes.indices.map { index in
      raw.map { String(format: "%7.2f", objects[index] / $0[index]) } ?? "      –"
    }
    return number.padding(toLength: 5, withPad: " ", startingAt: 0)
      + work.padding(toLength: 50, withPad: " ", startingAt: 0)
      + times.joined(separator: " ") + "  " + ratios.joined(separator: " ")
      + String(format: "   %5.2f", exponent) + (isSteep ? " !" : "")
  }
}
