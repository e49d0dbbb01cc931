import Foundation

/// StoreBenchmark's work, done with SQLite's C API and with GRDB's records alternately, in one process.
/// `Tools/Benchmarks/GRDB/compare` runs both programs alternately.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks/GRDB GRDBBenchmark [rows] [rounds]
/// ```
@main
enum GRDBBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let rows = arguments.first ?? 100_000
    let rounds = arguments.dropFirst().first ?? 3
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("grdb-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var table = ResultTable()
    for round in 0..<rounds {
      let raw = try RawRun(file: folder.appendingPathComponent("raw\(round).sqlite"), rows: rows)
      let file = folder.appendingPathComponent("records\(round).sqlite")
      _ = try RawRun(file: file, rows: rows)
      let records = try RecordRun(file: file, rows: rows)
      try table.measure("insert", raw.insert, records.insert)
      try table.measure("fetch all", raw.fetchAll, records.fetchAll)
      try table.measure("by key", raw.byKey, records.byKey)
      try table.measure("by index", raw.byIndex, records.byIndex)
      let hand = (raw.everybody(), try records.everybody())
      try table.measure(
        "update all", { raw.update(hand.0) }, { try records.update(hand.1) })
      try table.measure("graph insert", raw.graphInsert, records.graphInsert)
      try table.measure("graph, two queries", raw.graphLoad, records.graphLoad)
      try table.measure("graph, by faults", raw.graphFault, records.graphFault)
    }
    table.print()
  }
}

/// The times for each piece of work, in milliseconds.
struct ResultTable {
  private var names: [String] = []
  private var times: [String: [[Double]]] = [:]

  mutating func measure(_ name: String, _ works: (() throws -> Int)...) throws {
    let clock = ContinuousClock()
    var counts: Set<Int> = []
    let measured = try works.map { work in
      try clock.measure { counts.insert(try work()) } / .milliseconds(1)
    }
    precondition(counts.count == 1, "\(name): the counts differ: \(counts)")
    if times[name] == nil { names.append(name) }
    times[name, default: []].append(measured)
  }

  func print() {
    Swift.print("work                    raw ms      GRDB ms   ratio")
    for name in names {
      let runs = times[name] ?? []
      let medians = (0..<2).map { index in
        let sorted = runs.map { $0[index] }.sorted()
        return sorted[sorted.count / 2]
      }
      Swift.print(
        name.padding(toLength: 20, withPad: " ", startingAt: 0),
        String(
          format: "%9.1f %12.1f %7.2f", medians[0], medians[1], medians[1] / medians[0]))
    }
  }
}
