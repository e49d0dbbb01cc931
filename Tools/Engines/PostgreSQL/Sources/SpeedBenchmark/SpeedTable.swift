import Foundation

/// The times and round trips of both sides, for each kind of work.
struct SpeedTable {
  /// One side's run of one kind of work.
  struct Run {
    let seconds: Double
    let roundTrips: Int
  }

  /// What came out for one kind of work.
  struct Line: Encodable {
    let work: String
    let rows: Int
    let momkitMilliseconds, libpqMilliseconds, ratio: Double
    let momkitRoundTrips, libpqRoundTrips: Int
  }

  private var names: [String] = []
  private var runs: [String: [(objects: Run, twin: Run)]] = [:]
  private let rows: Int

  init(rows: Int) { self.rows = rows }

  mutating func add(_ name: String, objects: Run, twin: Run) {
    if runs[name] == nil { names.append(name) }
    runs[name, default: []].append((objects, twin))
  }

  /// The medians. Round trips are those of the last run, when statements have been prepared.
  var lines: [Line] {
    names.map { name in
      let runs = runs[name] ?? []
      let objects = Self.median(runs.map(\.objects.seconds))
      let twin = Self.median(runs.map(\.twin.seconds))
      return Line(
        work: name, rows: rows, momkitMilliseconds: objects * 1000,
        libpqMilliseconds: twin * 1000, ratio: objects / twin,
        momkitRoundTrips: runs.last?.objects.roundTrips ?? 0,
        libpqRoundTrips: runs.last?.twin.roundTrips ?? 0)
    }
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  /// Prints lines as a table, or as one JSON object a line.
  static func print(_ lines: [Line], asJSON: Bool) throws {
    guard !asJSON else {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      for line in lines { Swift.print(String(decoding: try encoder.encode(line), as: UTF8.self)) }
      return
    }
    Swift.print("work                      rows  libpq ms  MomKit ms  ratio  trips: libpq   MomKit")
    for line in lines {
      Swift.print(
        line.work.padding(toLength: 20, withPad: " ", startingAt: 0),
        String(
          format: "%9d %9.1f %10.1f %6.2f %13d %8d", line.rows, line.libpqMilliseconds,
          line.momkitMilliseconds, line.ratio, line.libpqRoundTrips, line.momkitRoundTrips))
    }
  }
}
