import Foundation
import MomKit

/// Compares objects in a SQLite store with the same work done with SQLite's C API, alternately in one process.
///
/// Both sides use the same schema, journal mode and settings, and create the same Swift values for every row.
/// Whatever a program would already have (the keys or object IDs of rows to fetch, the rows to update) is prepared
/// before the clock starts, on both sides. `by URI` and `fetch and update` include everything.
///
/// ```
/// swift run -c release --package-path Tools StoreBenchmark [rows] [rounds]
/// ```
@main
enum StoreBenchmark {
  static func main() throws {
    if CommandLine.arguments.dropFirst().first == MemoryRun.argument {
      return try MemoryRun.run(CommandLine.arguments.last ?? "")
    }
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let rows = arguments.first ?? 100_000
    let rounds = arguments.dropFirst().first ?? 3
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var table = ResultTable()
    var bytes = 0
    for round in 0..<rounds {
      let raw = try RawRun(file: folder.appendingPathComponent("raw\(round).sqlite"), rows: rows)
      let objects = try ObjectRun(
        file: folder.appendingPathComponent("objects\(round).sqlite"), rows: rows)
      try table.measure("insert", raw: raw.insert, objects: objects.insert)
      try table.measure("fetch all", raw: raw.fetchAll, objects: objects.fetchAll)
      let identities = objects.identities()
      try table.measure("by key", raw: raw.byKey, objects: { try objects.byKey(identities) })
      let uris = objects.uris()
      try table.measure("by URI", raw: raw.byKey, objects: { try objects.byURI(uris) })
      try table.measure("by index", raw: raw.byIndex, objects: objects.byIndex)
      let (rawRows, people) = (raw.everybody(), try objects.everybody())
      try table.measure(
        "update all", raw: { raw.update(rawRows) }, objects: { try objects.update(people) })
      try table.measure(
        "fetch and update", raw: raw.fetchAndUpdate, objects: objects.fetchAndUpdate)
      try table.measure("graph insert", raw: raw.graphInsert, objects: objects.graphInsert)
      try table.measure("graph, two queries", raw: raw.graphLoad, objects: objects.graphLoad)
      try table.measure("graph, by faults", raw: raw.graphFault, objects: objects.graphFault)
      if round == rounds - 1 { bytes = try MemoryRun.measure(objects.file) }
    }
    table.print()
    let data = MemoryLayout<RawRun.Row>.stride
    print("memory: \(bytes) bytes an object, \(bytes - data) above the row's \(data)")
  }
}

/// The times for each piece of work.
struct ResultTable {
  private var names: [String] = []
  private var times: [String: [(raw: Double, objects: Double)]] = [:]

  mutating func measure(
    _ name: String, raw: () throws -> Int, objects: () throws -> Int
  ) throws {
    let clock = ContinuousClock()
    var (rawCount, objectCount) = (0, 0)
    let rawTime = try clock.measure { rawCount = try raw() }
    let objectTime = try clock.measure { objectCount = try objects() }
    precondition(rawCount == objectCount, "\(name): \(rawCount) rows, \(objectCount) objects")
    if times[name] == nil { names.append(name) }
    times[name, default: []].append((rawTime / .milliseconds(1), objectTime / .milliseconds(1)))
  }

  func print() {
    Swift.print("work                    raw ms   objects ms   ratio")
    for name in names {
      let runs = times[name] ?? []
      let raw = median(runs.map(\.raw))
      let objects = median(runs.map(\.objects))
      Swift.print(
        name.padding(toLength: 20, withPad: " ", startingAt: 0),
        String(format: "%9.1f %12.1f %7.2f", raw, objects, objects / raw))
    }
  }

  private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }
}
